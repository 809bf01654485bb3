// SPDX-License-Identifier: GPL-2.0
/*
 * Artifacts that the fuzzer begins with: seeds FOLDER.  They are those that the
 * engine's own tests break.
 */
#include <stdio.h>
#include <sys/stat.h>

#include "sample.h"

static void save(const char *folder, const char *name, bool batch,
		 struct artifact a)
{
	char path[4096];
	FILE *file;

	snprintf(path, sizeof(path), "%s/%s", folder, name);
	file = fopen(path, "w");
	if (!file || fputc(batch, file) == EOF || fputc(4, file) == EOF ||
	    fwrite(a.bytes, 1, a.length, file) != a.length || fclose(file)) {
		perror(path);
		exit(1);
	}
	artifact_free(&a);
}

/* What build.c calls where a test would fail. */
void test_fail(const char *file, int line, const char *format, ...)
{
	abort();
}

int main(int argc, char **argv)
{
	struct batch b;

	if (argc != 2) {
		fprintf(stderr, "usage: seeds FOLDER\n");
		return 2;
	}
	mkdir(argv[1], 0777);
	sample_batch(&b);
	save(argv[1], "batch", true, batch_artifact(&b));
	b.header.flags = cpu_to_le32(VACC_BATCH_NO_ALIAS);
	save(argv[1], "batch-no-alias", true, batch_artifact(&b));
	save(argv[1], "barrier", false, ref_artifact(VACC_REF_OP_BARRIER, 2, NONE, 0));
	save(argv[1], "copy", false, ref_artifact(VACC_REF_OP_COPY, 2, 3, 0));
	save(argv[1], "fill", false, ref_artifact(VACC_REF_OP_FILL, 0, NONE, 0xa5));
	save(argv[1], "xor", false, ref_artifact(VACC_REF_OP_XOR, 9, NONE, 0xff));
	return 0;
}
