/** A boot takes seconds on a slow machine, and Jest allows five by default. */
jest.setTimeout(60_000);
