#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0
"""
Train the demo's perceptron on Fashion-MNIST: 785 - H - 10, ReLU between.

    train.py --write    train, and replace the weights in weights/
    train.py --check    judge weights/, then train anew and judge that; keep nothing

Both exit 1 if an accuracy on the test images is below the needed one.

Only numpy is used.  The seed is fixed, but numpy's matrix product may sum in
another order on another machine, so a retrain reaches the accuracy and not
necessarily the bytes: the bytes in weights/ are the truth.  The accuracy is
always that of the device's arithmetic (fmnist.dense_linear), with weights
rounded to f16.
"""
import argparse
import os
import sys
import time

import numpy as np

import fmnist

SEED = 20
BATCH = 100
RATE = 1e-3
DECAY = 1e-4
NEEDED = 0.875


def judge(name, w1, w2):
    images, labels = fmnist.load("t10k")
    hidden = fmnist.relu(fmnist.dense_linear(fmnist.inputs(images), w1))
    logits = fmnist.dense_linear(hidden, w2)
    # argmax gives the first of equal values: ties go to the lowest class
    got = float(np.mean(np.argmax(logits, axis=1) == labels))
    print(f"{name}: {w1.shape[1]}-{w1.shape[0]}-{w2.shape[0]}, accuracy: {got:.4f}", flush=True)
    if got < NEEDED:
        print(f"train.py: {name}: the accuracy is below {NEEDED}", file=sys.stderr)
    return got >= NEEDED


def gradients(w1, w2, x, y):
    hidden = np.maximum(x @ w1.T, 0)
    logits = hidden @ w2.T
    logits -= logits.max(axis=1, keepdims=True)
    p = np.exp(logits)
    p /= p.sum(axis=1, keepdims=True)
    loss = -np.log(p[np.arange(len(y)), y] + 1e-12).mean()
    p[np.arange(len(y)), y] -= 1
    p /= len(y)
    back = (p @ w2) * (hidden > 0)
    return loss, back.T @ x, p.T @ hidden


def train(width, epochs):
    """Adam with weight decay and a rate that falls to zero along a cosine."""
    rng = np.random.default_rng(SEED)
    images, labels = fmnist.load("train")
    x = fmnist.inputs(images).astype(np.float32)
    shapes = ((width, x.shape[1]), (10, width))
    w = [(rng.standard_normal(s) * np.sqrt(2 / s[1])).astype(np.float32) for s in shapes]
    m = [np.zeros(s, np.float32) for s in shapes]
    v = [np.zeros(s, np.float32) for s in shapes]
    steps = epochs * (len(x) // BATCH)
    step = 0
    for epoch in range(epochs):
        start = time.time()
        total = 0.0
        order = rng.permutation(len(x))
        for at in range(0, len(x) - BATCH + 1, BATCH):
            pick = order[at:at + BATCH]
            loss, *grads = gradients(w[0], w[1], x[pick], labels[pick])
            total += loss
            rate = RATE * 0.5 * (1 + np.cos(np.pi * step / steps))
            step += 1
            for i, g in enumerate(grads):
                m[i] += 0.1 * (g - m[i])
                v[i] += 0.001 * (g * g - v[i])
                fix1 = 1 - 0.9 ** step
                fix2 = 1 - 0.999 ** step
                move = (m[i] / fix1) / (np.sqrt(v[i] / fix2) + 1e-8)
                w[i] -= np.float32(rate) * (move + DECAY * w[i]).astype(np.float32)
        print(f"epoch {epoch + 1:2}/{epochs}  loss {total / (len(x) // BATCH):.4f}  "
              f"{time.time() - start:.1f} s", flush=True)
    return [a.astype(np.float16) for a in w]


def main():
    p = argparse.ArgumentParser(description=__doc__.split("\n")[1])
    p.add_argument("--write", action="store_true", help="train and replace weights/")
    p.add_argument("--check", action="store_true", help="judge weights/ and a retrain")
    p.add_argument("--width", type=int, default=64, help="hidden units H (64)")
    p.add_argument("--epochs", type=int, default=30, help="passes over the training images (30)")
    args = p.parse_args()
    if args.write == args.check:
        p.error("one of --write and --check, please")
    if args.check and not judge("weights/", *fmnist.weights()):
        return 1
    w1, w2 = train(args.width, args.epochs)
    if not judge("retrained", w1, w2):
        return 1
    if args.write:
        os.makedirs(fmnist.WEIGHTS, exist_ok=True)
        np.save(os.path.join(fmnist.WEIGHTS, "w1.npy"), w1)
        np.save(os.path.join(fmnist.WEIGHTS, "w2.npy"), w2)
    return 0


if __name__ == "__main__":
    sys.exit(main())
