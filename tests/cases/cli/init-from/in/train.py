import argparse

p = argparse.ArgumentParser()
p.add_argument("--lr", type=float, default=1e-3)
p.add_argument("--opt", choices=["sgd", "adam"], default="sgd")
p.add_argument("--epochs", type=int, default=10)
p.add_argument("--seed", type=int, default=0)
args = p.parse_args()
print(f"val_loss={args.lr + args.seed % 7} accuracy=0.9")
