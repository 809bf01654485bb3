// SPDX-License-Identifier: GPL-2.0 OR MIT
#include <pthread.h>
#include <stdarg.h>
#include <string.h>
#include <unistd.h>

#include "test.h"

#define TEST_SECONDS	300
#define MAX_RULES	512

struct rule {
	char id[96];
	char why[256];
	int failed;
};

static struct test *first;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int faults;			/* lock: of the test that runs */
static char note[128];
static struct rule rules[MAX_RULES];
static int rule_count;
static struct rule *rule;		/* lock: the one that is being proved */

void test_add(struct test *test)
{
	test->next = first;
	first = test;
}

static void test_fault(const char *file, int line, const char *what,
		       const char *more)
{
	faults++;
	printf("%s:%d: not so: %s%s%s%s\n", file, line, what, more,
	       note[0] ? "; " : "", note);
	if (rule && !rule->failed) {
		rule->failed = 1;
		snprintf(rule->why, sizeof(rule->why), "%s:%d: not so: %s%s",
			 file, line, what, more);
	}
}

void test_expect(int good, const char *file, int line, const char *what)
{
	if (good)
		return;
	pthread_mutex_lock(&lock);
	test_fault(file, line, what, "");
	pthread_mutex_unlock(&lock);
}

void test_equal(long long a, long long b, const char *file, int line,
		const char *what)
{
	char more[64];

	if (a == b)
		return;
	snprintf(more, sizeof(more), ": %lld, %lld", a, b);
	pthread_mutex_lock(&lock);
	test_fault(file, line, what, more);
	pthread_mutex_unlock(&lock);
}

void test_note(const char *format, ...)
{
	va_list args;

	va_start(args, format);
	vsnprintf(note, sizeof(note), format, args);
	va_end(args);
}

/* The same rule may be proved in several places. */
void test_rule(const char *format, ...)
{
	char id[sizeof(rules[0].id)];
	va_list args;

	va_start(args, format);
	vsnprintf(id, sizeof(id), format, args);
	va_end(args);

	note[0] = '\0';
	for (rule = rules; rule < rules + rule_count; rule++) {
		if (!strcmp(rule->id, id))
			return;
	}
	if (rule_count == MAX_RULES) {
		printf("more than %d rules\n", MAX_RULES);
		exit(1);
	}
	rule_count++;
	snprintf(rule->id, sizeof(rule->id), "%s", id);
	snprintf(rule->why, sizeof(rule->why), "as the protocol says");
}

static void put_string(FILE *file, const char *text)
{
	fputc('"', file);
	for (; *text; text++) {
		if (*text == '"' || *text == '\\')
			fputc('\\', file);
		fputc(*text, file);
	}
	fputc('"', file);
}

static int report(const char *path)
{
	FILE *file = fopen(path, "w");
	int i;

	if (!file) {
		perror(path);
		return 1;
	}
	fprintf(file, "[\n");
	for (i = 0; i < rule_count; i++) {
		fprintf(file, "  {\"id\": ");
		put_string(file, rules[i].id);
		fprintf(file, ", \"role\": \"device\", \"verdict\": \"%s\", \"why\": ",
			rules[i].failed ? "fail" : "pass");
		put_string(file, rules[i].why);
		fprintf(file, "}%s\n", i + 1 < rule_count ? "," : "");
	}
	fprintf(file, "]\n");
	return fclose(file);
}

/* Runs all tests, or those whose names begin with an argument. */
int main(int argc, char **argv)
{
	const char *path = getenv("REPORT");
	int passed = 0, failed = 0;
	struct test *test;
	int i;

	setvbuf(stdout, NULL, _IOLBF, 0);
	for (test = first; test; test = test->next) {
		int chosen = argc < 2;

		for (i = 1; i < argc; i++)
			chosen |= !strncmp(test->name, argv[i], strlen(argv[i]));
		if (!chosen)
			continue;

		alarm(TEST_SECONDS);
		faults = 0;
		note[0] = '\0';
		rule = NULL;
		test->run();
		printf("%s %s\n", faults ? "FAIL" : "ok  ", test->name);
		if (faults)
			failed++;
		else
			passed++;
	}
	if (path && *path && argc < 2 && report(path))
		failed++;
	printf("%d passed, %d failed\n", passed, failed);
	return failed != 0;
}
