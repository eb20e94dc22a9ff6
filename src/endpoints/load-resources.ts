import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import type { ResourceDeclaration } from '../plugins/objects/server/declare/declaration';

/**
 * Loads the declarations of all types: every `resource` in a folder of `src/api`, so that a new type needs new files
 * only.
 *
 * @param folder the compiled `src/api`
 */
export async function loadResources(folder: string): Promise<ResourceDeclaration[]> {
  const files = readdirSync(folder)
    .map((name) => join(folder, name, 'resource.js'))
    .filter((file) => existsSync(file));
  const modules = await Promise.all(
    files.map((file) => import(file) as Promise<{ default: ResourceDeclaration }>),
  );
  return modules.map((module) => module.default);
}
