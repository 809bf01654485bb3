# SPDX-License-Identifier: GPL-2.0
"""Shared by the demo's scripts: the data set, and dense-linear on the CPU."""
import gzip
import os
import struct

import numpy as np

HERE = os.path.dirname(os.path.abspath(__file__))
WEIGHTS = os.path.join(HERE, "weights")
DATASET = os.environ.get("FASHION_DATASET", "/usr/share/datasets/fashion-mnist")
CLASSES = ("T-shirt", "Trouser", "Pullover", "Dress", "Coat",
           "Sandal", "Shirt", "Sneaker", "Bag", "Boot")
PIXELS = 28 * 28


def read_idx(name):
    """Read one gzipped idx file of unsigned bytes."""
    path = os.path.join(DATASET, name + ".gz")
    with gzip.open(path, "rb") as f:
        raw = f.read()
    zero, kind, ndim = struct.unpack(">HBB", raw[:4])
    if zero != 0 or kind != 8:
        raise ValueError(f"{path} is not an idx file of bytes")
    shape = struct.unpack(f">{ndim}I", raw[4:4 + 4 * ndim])
    return np.frombuffer(raw, np.uint8, offset=4 + 4 * ndim).reshape(shape)


def load(part, count=None):
    """The images and labels of a part, "train" or "t10k"."""
    images = read_idx(part + "-images-idx3-ubyte")[:count]
    labels = read_idx(part + "-labels-idx1-ubyte")[:count]
    return images, labels


def inputs(images):
    """Images as rows of 785 f16: u8 / 255, then the bias column of 1.0."""
    x = np.ones((len(images), PIXELS + 1), np.float16)
    x[:, :PIXELS] = images.reshape(-1, PIXELS).astype(np.float32) / np.float32(255)
    return x


def weights():
    return (np.load(os.path.join(WEIGHTS, "w1.npy"), allow_pickle=False),
            np.load(os.path.join(WEIGHTS, "w2.npy"), allow_pickle=False))


def dense_linear(x, w):
    """
    out[r][o] = f16(sum over i of x[r][i] * w[o][i]), the sum in f32, from +0,
    strictly in the order of i, rounded once.  A product of two f16 is exact in
    f32, so each step rounds once and no BLAS may reorder it.
    """
    x = np.asfortranarray(x.astype(np.float32))
    w = np.asfortranarray(w.astype(np.float32))
    acc = np.zeros((x.shape[0], w.shape[0]), np.float32)
    with np.errstate(over="ignore", invalid="ignore"):
        for i in range(x.shape[1]):
            acc = acc + x[:, i, None] * w[None, :, i]
        out = acc.astype(np.float16)
    out[np.isnan(acc)] = np.uint16(0x7e00).view(np.float16)
    return out


def relu(x):
    """On the bits: what has its sign set and is no NaN becomes +0."""
    bits = x.view(np.uint16)
    return np.where((bits >= 0x8000) & (bits <= 0xfc00), 0, bits).astype(np.uint16).view(np.float16)
