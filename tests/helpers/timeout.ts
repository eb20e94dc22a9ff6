/** A boot takes seconds on a slow machine, and Jest allows five by default. */
jest.setTimeout(180_000);
