import type { ClientBase } from 'pg';

/**
 * The memory of a search, two bitmaps of some MB, is new to the server's process each time, as the C library gives it back in
 * between: to touch its pages was two thirds of the time of such a search. Once 16 MiB in one piece have been freed, the library
 * keeps up to twice as many (M_MMAP_THRESHOLD in https://man7.org/linux/man-pages/man3/mallopt.3.html). The number is that of a row,
 * as the planner would compute what is constant, and keep a copy of it.
 */
export async function keepMemory(client: ClientBase): Promise<void> {
  await client.query(
    `select octet_length(repeat(repeat('x', 1048576), n)) from generate_series(16, 16) n`,
  );
}
