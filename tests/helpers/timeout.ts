/** A boot, or a program that a test starts, takes seconds on a slow machine, and Jest allows five by default. */
jest.setTimeout(180_000);

// The service's modules are those of the worker: the next file gets them as they were.
afterAll(() => jest.restoreAllMocks());
