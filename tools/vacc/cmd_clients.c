// SPDX-License-Identifier: GPL-2.0
/* vacc clients: who has a device open, by /proc/PID/fdinfo. */
#include <dirent.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli.h"
#include "input.h"
#include "report.h"

/* Keys whose values are numbers, in the order of the columns. */
static const char *const keys[] = {
	"contexts", "buffers", "programs", "queues", "events", "inflight", "bytes",
};

#define KEY_COUNT	(sizeof(keys) / sizeof(keys[0]))

/**
 * struct client - an open file
 * @pid: a process that has it
 * @comm: the name of the process
 * @device: the node's name
 * @id: number of the open file, unique on the device
 * @values: by key
 * @busy_ns: of all queues
 */
struct client {
	unsigned int pid;
	char comm[32];
	char device[32];
	uint64_t id;
	uint64_t values[KEY_COUNT];
	uint64_t busy_ns;
};

/**
 * struct clients - those that were found
 * @list: each once, whatever number of descriptors it has
 * @count: how many
 */
struct clients {
	struct client *list;
	size_t count;
};

/* One line of fdinfo. */
static void parse_line(struct client *client, char *line)
{
	char *value = strstr(line, ":\t");

	if (!value || strncmp(line, "vacc-", 5))
		return;
	*value = 0;
	value += 2;
	value[strcspn(value, "\n")] = 0;
	line += 5;
	if (!strcmp(line, "device"))
		snprintf(client->device, sizeof(client->device), "%s", value);
	else if (!strcmp(line, "client-id"))
		client->id = strtoull(value, NULL, 10);
	else if (!strncmp(line, "queue-", 6) && strstr(line, "-busy"))
		client->busy_ns += strtoull(value, NULL, 10);
	for (size_t i = 0; i < KEY_COUNT; i++) {
		if (!strcmp(line, keys[i]))
			client->values[i] = strtoull(value, NULL, 10);
	}
}

static void read_comm(struct client *client)
{
	char path[64];
	FILE *file;

	snprintf(path, sizeof(path), "/proc/%u/comm", client->pid);
	file = fopen(path, "re");
	if (!file)
		return;
	if (fgets(client->comm, sizeof(client->comm), file))
		client->comm[strcspn(client->comm, "\n")] = 0;
	fclose(file);
}

static bool is_known(const struct clients *clients, const struct client *client)
{
	for (size_t i = 0; i < clients->count; i++) {
		if (clients->list[i].id == client->id &&
		    !strcmp(clients->list[i].device, client->device))
			return true;
	}
	return false;
}

static int add_client(struct clients *clients, struct client *client)
{
	struct client *list;

	if (!client->device[0] || is_known(clients, client))
		return 0;
	list = realloc(clients->list, (clients->count + 1) * sizeof(*list));
	if (!list)
		return broken("out of memory");
	read_comm(client);
	clients->list = list;
	list[clients->count++] = *client;
	return 0;
}

/* What cannot be read is another user's, or gone: it is passed over. */
static int scan_process(struct clients *clients, unsigned int pid)
{
	char path[64 + NAME_MAX], line[256];
	struct dirent *entry;
	int status = 0;
	DIR *dir;

	snprintf(path, sizeof(path), "/proc/%u/fdinfo", pid);
	dir = opendir(path);
	while (dir && !status && (entry = readdir(dir))) {
		struct client client = { .pid = pid };
		FILE *file;

		snprintf(path, sizeof(path), "/proc/%u/fdinfo/%s", pid, entry->d_name);
		file = entry->d_name[0] == '.' ? NULL : fopen(path, "re");
		if (!file)
			continue;
		while (fgets(line, sizeof(line), file))
			parse_line(&client, line);
		fclose(file);
		status = add_client(clients, &client);
	}
	if (dir)
		closedir(dir);
	return status;
}

static int scan(struct clients *clients)
{
	DIR *dir = opendir("/proc");
	struct dirent *entry;
	uint64_t pid;
	int status = 0;

	if (!dir)
		return broken("cannot read /proc");
	while (!status && (entry = readdir(dir))) {
		if (number_parse(entry->d_name, 1, INT_MAX, false, &pid))
			status = scan_process(clients, pid);
	}
	closedir(dir);
	return status;
}

static void print_json(const struct clients *clients)
{
	putchar('[');
	for (size_t i = 0; i < clients->count; i++) {
		const struct client *client = &clients->list[i];

		printf("%s{\"pid\":%u,\"comm\":", i ? "," : "", client->pid);
		report_json_string(client->comm);
		printf(",\"device\":");
		report_json_string(client->device);
		printf(",\"client_id\":%llu", (unsigned long long)client->id);
		for (size_t k = 0; k < KEY_COUNT; k++)
			printf(",\"%s\":%llu", keys[k],
			       (unsigned long long)client->values[k]);
		printf(",\"busy_ns\":%llu}", (unsigned long long)client->busy_ns);
	}
	printf("]\n");
}

static void print_table(const struct clients *clients)
{
	printf("%7s %-15s %-15s %6s", "pid", "process", "device", "client");
	for (size_t k = 0; k < KEY_COUNT; k++)
		printf(" %8s", keys[k]);
	printf(" %14s\n", "busy_ns");
	for (size_t i = 0; i < clients->count; i++) {
		const struct client *client = &clients->list[i];

		printf("%7u %-15s %-15s %6llu", client->pid, client->comm, client->device,
		       (unsigned long long)client->id);
		for (size_t k = 0; k < KEY_COUNT; k++)
			printf(" %8llu", (unsigned long long)client->values[k]);
		printf(" %14llu\n", (unsigned long long)client->busy_ns);
	}
}

int cmd_clients(const struct options *options)
{
	struct clients clients = { 0 };
	int status = scan(&clients);

	if (!status && options->json)
		print_json(&clients);
	else if (!status)
		print_table(&clients);
	free(clients.list);
	return status;
}
