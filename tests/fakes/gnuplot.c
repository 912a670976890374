/* Stands in for gnuplot where a test does not look at pictures: writes a small whole picture for every `set output`, by the
   ending of its name. Drawing takes a third of the time of a short study. */
#include <stdio.h>
#include <string.h>

static const char svg[] =
    "<?xml version=\"1.0\"?>\n<svg width=\"8\" height=\"8\" viewBox=\"0 0 8 8\" xmlns=\"http://www.w3.org/2000/svg\">"
    "<title>%s</title></svg>\n";
static const unsigned char png[] = {
    0x89, 'P', 'N', 'G', 0x0d, 0x0a, 0x1a, 0x0a, 0, 0, 0, 13, 'I', 'H', 'D', 'R', 0, 0, 0, 1, 0, 0, 0, 1, 8, 0, 0, 0, 0,
    0x3a, 0x7e, 0x9b, 0x55, 0, 0, 0, 10, 'I', 'D', 'A', 'T', 0x78, 0x9c, 0x63, 0x60, 0, 0, 0, 2, 0, 1, 0x48, 0xaf, 0xa4,
    0x71, 0, 0, 0, 0, 'I', 'E', 'N', 'D', 0xae, 0x42, 0x60, 0x82};
static const char pdf[] =
    "%PDF-1.4\n1 0 obj<</Type/Catalog/Pages 2 0 R>>endobj\n2 0 obj<</Type/Pages/Kids[3 0 R]/Count 1>>endobj\n"
    "3 0 obj<</Type/Page/Parent 2 0 R/MediaBox[0 0 8 8]>>endobj\ntrailer<</Root 1 0 R>>\n%%EOF\n";

static int ends_with(const char *text, const char *end) {
  size_t n = strlen(text), m = strlen(end);
  return n >= m && strcmp(text + n - m, end) == 0;
}

int main(int argc, char **argv) {
  char line[4096];
  if (argc > 1 && strcmp(argv[argc - 1], "--version") == 0) return puts("gnuplot 5.4 patchlevel 0") < 0;
  FILE *script = argc > 1 ? fopen(argv[argc - 1], "r") : NULL;
  if (!script) return 1;
  while (fgets(line, sizeof line, script)) {
    char *name = line + strlen("set output '");
    if (strncmp(line, "set output '", strlen("set output '")) != 0) continue;
    name[strcspn(name, "'\n")] = 0;
    FILE *out = fopen(name, "wb");
    if (!out) return 1;
    if (ends_with(name, ".svg")) fprintf(out, svg, strrchr(name, '/') ? strrchr(name, '/') + 1 : name);
    if (ends_with(name, ".png")) fwrite(png, 1, sizeof png, out);
    if (ends_with(name, ".pdf")) fwrite(pdf, 1, sizeof pdf - 1, out);
    if (fclose(out) != 0) return 1;
  }
  return 0;
}
