// SPDX-License-Identifier: GPL-2.0
/*
 * Classify the test images of Fashion-MNIST: both layers of a perceptron run on
 * the device, what lies between and after them on the CPU.
 *
 * While the device has two batches before it, the CPU has a third in its hands:
 * so neither waits for the other for long.  No step relies on the order in which a
 * queue runs its work: whatever a submission reads or writes was waited for before.
 */
#include <endian.h>
#include <errno.h>
#include <getopt.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "data.h"
#include "device.h"

#define SIDE		28
#define PIXELS		(SIDE * SIDE)
#define INPUTS		(PIXELS + 1)	/* the last one is the bias, always 1.0 */
#define CLASSES		10
#define LANES		3
#define MAX_BATCH	65536

#define F16_SIGN	0x8000
#define F16_INF		0x7c00
#define F16_ONE		0x3c00

static const char * const class_names[CLASSES] = {
	"T-shirt", "Trouser", "Pullover", "Dress", "Coat",
	"Sandal", "Shirt", "Sneaker", "Bag", "Boot",
};

struct options {
	const char *device;
	const char *dataset;
	const char *weights;
	const char *out;
	size_t batch;
	size_t count;
	double least;
	bool copy;
};

/**
 * struct lane - what one batch under way needs
 * @x: input of the first layer
 * @h: its output
 * @a: the same after the ReLU, input of the second layer
 * @y: output of the second layer
 * @first: the batch's first image
 * @rows: its images
 * @event: what was submitted last
 */
struct lane {
	struct store x, h, a, y;
	size_t first;
	size_t rows;
	struct vacc_event event;
};

/**
 * struct run - the whole computation
 * @options: what the caller wants
 * @images: the pictures
 * @labels: what they show
 * @device: where the layers run
 * @layers: both of them
 * @lanes: the batches under way
 * @width: hidden units
 * @pixel: f16 of u8 / 255, little-endian
 * @hidden: output of the first layer for all images, before the ReLU
 * @logits: output of the second layer for all images
 * @classes: the class that each image got
 */
struct run {
	struct options options;
	struct idx images, labels;
	struct device device;
	struct layer layers[2];
	struct lane lanes[LANES];
	size_t width;
	uint16_t pixel[256];
	uint16_t *hidden;
	uint16_t *logits;
	uint8_t *classes;
};

/* n / 255 for n up to 255, rounded to the nearest f16; no tie can occur. */
static uint16_t f16_of_pixel(unsigned int n)
{
	unsigned int exponent = 15, scaled = n;

	if (!n)
		return 0;
	while (scaled < 255) {
		scaled *= 2;
		exponent--;
	}
	/* scaled / 255 is in [1, 2): ten more bits of it, rounded */
	return (exponent << 10) + (scaled * 1024 + 127) / 255 - 1024;
}

/* On the bits: a NaN stays what it is, all else with its sign set becomes +0. */
static uint16_t relu(uint16_t le)
{
	uint16_t bits = le16toh(le);

	return bits >= F16_SIGN && bits <= (F16_SIGN | F16_INF) ? 0 : le;
}

/* An integer in the order of the f16 values; both zeros are equal. */
static int f16_key(uint16_t le)
{
	int bits = le16toh(le);

	return bits < F16_SIGN ? bits : F16_SIGN - bits;
}

/* The lowest of the classes with the largest logit; a NaN is never the largest. */
static unsigned int best_class(const uint16_t *logits)
{
	unsigned int best = 0;
	int top = INT_MIN;

	for (unsigned int i = 0; i < CLASSES; i++) {
		int key = f16_key(logits[i]);

		if (key > top && abs(key) <= F16_INF) {
			top = key;
			best = i;
		}
	}
	return best;
}

static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec + t.tv_nsec / 1e9;
}

static void progress(size_t done, size_t total, double seconds)
{
	static size_t shown;
	int tty = isatty(STDOUT_FILENO);
	size_t percent = done * 100 / total;

	if (!tty && percent / 10 == shown / 10 && done < total)
		return;
	shown = percent;
	printf("%s%zu of %zu images, %.0f images/s%s", tty ? "\r" : "", done, total,
	       done / seconds, !tty || done == total ? "\n" : "");
	fflush(stdout);
}

/* Fill a lane with the next images and start the first layer. */
static void begin_batch(struct run *run, struct lane *lane, size_t first)
{
	size_t left = run->options.count - first;
	uint16_t *x = lane->x.data;

	lane->first = first;
	lane->rows = left < run->options.batch ? left : run->options.batch;
	for (size_t r = 0; r < lane->rows; r++) {
		const uint8_t *image = run->images.bytes + (first + r) * PIXELS;

		for (size_t i = 0; i < PIXELS; i++)
			*x++ = run->pixel[image[i]];
		*x++ = htole16(F16_ONE);
	}
	store_push(&lane->x, lane->rows * INPUTS * sizeof(*x));
	layer_start(&run->layers[0], &run->device, &lane->x, &lane->h, lane->rows, &lane->event);
}

/* Take the first layer's output, apply the ReLU and start the second layer. */
static void continue_batch(struct run *run, struct lane *lane)
{
	size_t n = lane->rows * run->width;
	uint16_t *hidden = run->hidden + lane->first * run->width;
	uint16_t *a = lane->a.data;

	event_finish(&lane->event);
	store_pull(&lane->h, n * sizeof(*a));
	memcpy(hidden, lane->h.data, n * sizeof(*a));
	for (size_t i = 0; i < n; i++)
		a[i] = relu(hidden[i]);
	store_push(&lane->a, n * sizeof(*a));
	layer_start(&run->layers[1], &run->device, &lane->a, &lane->y, lane->rows, &lane->event);
}

/* Take the second layer's output and choose the classes. */
static void end_batch(struct run *run, struct lane *lane)
{
	size_t bytes = lane->rows * CLASSES * sizeof(uint16_t);
	uint16_t *logits = run->logits + lane->first * CLASSES;

	event_finish(&lane->event);
	store_pull(&lane->y, bytes);
	memcpy(logits, lane->y.data, bytes);
	for (size_t r = 0; r < lane->rows; r++)
		run->classes[lane->first + r] = best_class(logits + r * CLASSES);
}

/* Returns the seconds that it took. */
static double classify(struct run *run)
{
	size_t count = run->options.count, batch = run->options.batch;
	size_t batches = (count + batch - 1) / batch;
	double start = now();

	for (size_t k = 0; k < batches && k < 2; k++)
		begin_batch(run, &run->lanes[k], k * batch);
	for (size_t k = 0; k <= batches; k++) {
		if (k < batches)
			continue_batch(run, &run->lanes[k % LANES]);
		if (k) {
			struct lane *lane = &run->lanes[(k - 1) % LANES];

			end_batch(run, lane);
			progress(lane->first + lane->rows, count, now() - start);
		}
		/* Into the lane that has just ended. */
		if (k + 2 < batches)
			begin_batch(run, &run->lanes[(k + 2) % LANES], (k + 2) * batch);
	}
	return now() - start;
}

static double report(const struct run *run)
{
	size_t shown[CLASSES] = { 0 }, right[CLASSES] = { 0 }, named[CLASSES] = { 0 };
	size_t all = 0;

	for (size_t i = 0; i < run->options.count; i++) {
		unsigned int is = run->labels.bytes[i], got = run->classes[i];

		shown[is]++;
		named[got]++;
		right[is] += is == got;
		all += is == got;
	}
	printf("\n%-10s %7s %7s %7s %7s\n", "class", "images", "right", "named", "recall");
	for (size_t i = 0; i < CLASSES; i++)
		printf("%-10s %7zu %7zu %7zu %6.1f%%\n", class_names[i], shown[i], right[i],
		       named[i], shown[i] ? 100.0 * right[i] / shown[i] : 0.0);
	return (double)all / run->options.count;
}

static void write_results(const struct run *run)
{
	const char *out = run->options.out;
	size_t n = run->options.count;

	if (mkdir(out, 0777) && errno != EEXIST)
		die("%s: %s", out, strerror(errno));
	npy_write(out, "hidden.npy", "<f2", n, run->width, run->hidden,
		  n * run->width * sizeof(uint16_t));
	npy_write(out, "logits.npy", "<f2", n, CLASSES, run->logits,
		  n * CLASSES * sizeof(uint16_t));
	npy_write(out, "predictions.npy", "|u1", n, 0, run->classes, n);
}

static void prepare_data(struct run *run)
{
	struct options *o = &run->options;

	idx_read(&run->images, o->dataset, "t10k-images-idx3-ubyte.gz");
	idx_read(&run->labels, o->dataset, "t10k-labels-idx1-ubyte.gz");
	if (run->images.item_bytes != PIXELS || run->labels.item_bytes != 1 ||
	    run->images.count != run->labels.count)
		die("%s: the images and labels do not belong together", o->dataset);
	for (size_t i = 0; i < run->labels.count; i++) {
		if (run->labels.bytes[i] >= CLASSES)
			die("%s: image %zu has no known class", o->dataset, i);
	}
	if (!o->count || o->count > run->images.count)
		o->count = run->images.count;
	for (unsigned int i = 0; i < 256; i++)
		run->pixel[i] = htole16(f16_of_pixel(i));
}

static void prepare_layers(struct run *run)
{
	struct options *o = &run->options;
	struct matrix w1, w2;

	npy_read(&w1, o->weights, "w1.npy");
	npy_read(&w2, o->weights, "w2.npy");
	if (w1.columns != INPUTS || w2.rows != CLASSES || w2.columns != w1.rows)
		die("%s: these weights are no %d-H-%d network", o->weights, INPUTS, CLASSES);
	run->width = w1.rows;
	run->hidden = allocate(o->count * run->width, sizeof(*run->hidden));
	run->logits = allocate(o->count * CLASSES, sizeof(*run->logits));
	run->classes = allocate(o->count, 1);

	device_open(&run->device, o->device, o->copy);
	layer_load(&run->layers[0], &run->device, &w1, o->batch);
	layer_load(&run->layers[1], &run->device, &w2, o->batch);
	for (int i = 0; i < LANES; i++) {
		struct lane *lane = &run->lanes[i];
		size_t row = o->batch * sizeof(uint16_t);

		store_create(&lane->x, &run->device, STORE_INPUT, INPUTS * row);
		store_create(&lane->h, &run->device, STORE_OUTPUT, run->width * row);
		store_create(&lane->a, &run->device, STORE_INPUT, run->width * row);
		store_create(&lane->y, &run->device, STORE_OUTPUT, CLASSES * row);
	}
	device_print(&run->device);
	printf("network %zu-%zu-%zu, batches of %zu images, %s\n", w1.columns, w1.rows, w2.rows,
	       o->batch, run->lanes[0].x.mapped ? "buffers are mapped" :
	       "buffers are written and read");
	free(w1.bits);
	free(w2.bits);
}

static void clean_up(struct run *run)
{
	for (int i = 0; i < LANES; i++) {
		store_destroy(&run->lanes[i].x);
		store_destroy(&run->lanes[i].h);
		store_destroy(&run->lanes[i].a);
		store_destroy(&run->lanes[i].y);
	}
	for (int i = 0; i < 2; i++)
		layer_unload(&run->layers[i]);
	device_close(&run->device);
	free(run->images.bytes);
	free(run->labels.bytes);
	free(run->hidden);
	free(run->logits);
	free(run->classes);
}

static void usage(FILE *f)
{
	fputs("usage: fashion [OPTION]...\n"
	      "Classify the test images of Fashion-MNIST on an accelerator.\n\n"
	      "  -d, --device=NODE     the accelerator (the first one there is)\n"
	      "  -i, --dataset=FOLDER  the images (/usr/share/datasets/fashion-mnist)\n"
	      "  -w, --weights=FOLDER  w1.npy and w2.npy (tools/demo/weights)\n"
	      "  -o, --out=FOLDER      write hidden.npy, logits.npy and predictions.npy there\n"
	      "                        ($VACC_OUT; without it nothing is written)\n"
	      "  -b, --batch=N         images of one batch (500)\n"
	      "  -n, --count=N         only the first N images\n"
	      "  -c, --copy            write and read buffers even where mmap works\n"
	      "  -l, --least=A         fail if the accuracy is below A\n"
	      "  -h, --help            this text\n\n"
	      "Exit status: 0 done, 1 the accuracy is too low, 2 anything else.\n", f);
}

static size_t number(const char *text, size_t most)
{
	unsigned long n;
	char *end;

	errno = 0;
	n = strtoul(text, &end, 10);
	if (errno || *end || *text < '0' || *text > '9' || !n || n > most)
		die("'%s' must be a number from 1 to %zu", text, most);
	return n;
}

static void read_options(struct options *o, int argc, char **argv)
{
	static const struct option names[] = {
		{ "device", required_argument, NULL, 'd' },
		{ "dataset", required_argument, NULL, 'i' },
		{ "weights", required_argument, NULL, 'w' },
		{ "out", required_argument, NULL, 'o' },
		{ "batch", required_argument, NULL, 'b' },
		{ "count", required_argument, NULL, 'n' },
		{ "copy", no_argument, NULL, 'c' },
		{ "least", required_argument, NULL, 'l' },
		{ "help", no_argument, NULL, 'h' },
		{ }
	};
	char *end;
	int c;

	while ((c = getopt_long(argc, argv, "d:i:w:o:b:n:cl:h", names, NULL)) != -1) {
		switch (c) {
		case 'd':
			o->device = optarg;
			break;
		case 'i':
			o->dataset = optarg;
			break;
		case 'w':
			o->weights = optarg;
			break;
		case 'o':
			o->out = optarg;
			break;
		case 'b':
			o->batch = number(optarg, MAX_BATCH);
			break;
		case 'n':
			o->count = number(optarg, INT_MAX);
			break;
		case 'c':
			o->copy = true;
			break;
		case 'l':
			o->least = strtod(optarg, &end);
			if (*end || end == optarg || !(o->least >= 0 && o->least <= 1))
				die("'%s' must be a number from 0 to 1", optarg);
			break;
		case 'h':
			usage(stdout);
			exit(0);
		default:
			usage(stderr);
			exit(2);
		}
	}
	if (optind != argc)
		die("'%s' is one word too many; try --help", argv[optind]);
}

int main(int argc, char **argv)
{
	struct run run = {
		.options = {
			.dataset = "/usr/share/datasets/fashion-mnist",
			.weights = "tools/demo/weights",
			.out = getenv("VACC_OUT"),
			.batch = 500,
		},
	};
	double seconds, accuracy;

	setvbuf(stdout, NULL, _IOLBF, 0);
	read_options(&run.options, argc, argv);
	prepare_data(&run);
	prepare_layers(&run);
	seconds = classify(&run);
	accuracy = report(&run);
	if (run.options.out)
		write_results(&run);
	device_print_counters(&run.device);
	clean_up(&run);
	printf("\n%zu images in %.2f s: %.0f images/s\n", run.options.count, seconds,
	       run.options.count / seconds);
	printf("accuracy: %.4f\n", accuracy);
	if (accuracy < run.options.least) {
		fflush(stdout);
		fprintf(stderr, "fashion: the accuracy %.4f is below %.2f\n", accuracy,
			run.options.least);
		return 1;
	}
	return 0;
}
