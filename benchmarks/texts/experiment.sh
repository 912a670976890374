# Runs the whole experiment. Replace this line by its commands; they leave $ETUDE_OUTPUT/results.json.
