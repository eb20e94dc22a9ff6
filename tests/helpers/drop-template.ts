/** Jest's global teardown. */
const shared = globalThis as { dropTemplate?: () => Promise<void> };

export default async function dropTemplate(): Promise<void> {
  await shared.dropTemplate?.();
  delete shared.dropTemplate;
}
