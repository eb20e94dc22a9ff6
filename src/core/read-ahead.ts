/** The values of a generator, each of which is asked for while the one before it is looked at. */
export async function* readAhead<T>(values: AsyncGenerator<T, void>): AsyncGenerator<T, void> {
  const read = (): Promise<IteratorResult<T, void>> => {
    const value = values.next();
    // It may fail before it is awaited.
    value.catch(() => undefined);
    return value;
  };
  try {
    for (let next = read(); ;) {
      const { done, value } = await next;
      if (done) return;
      next = read();
      yield value;
    }
  } finally {
    await values.return();
  }
}
