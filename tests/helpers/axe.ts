import { readFileSync } from 'node:fs';
import type { Page } from 'playwright-core';
import { at } from './json';

/** What axe-core finds in a page (https://github.com/dequelabs/axe-core/blob/develop/doc/API.md). */
interface Violation {
  readonly id: string;
  readonly impact: string;
  readonly nodes: readonly { readonly html: string }[];
}

/** What keeps people out of the main part of a page: the rule, and where it is broken. */
export async function seriousViolations(
  page: Page,
): Promise<readonly (readonly [rule: string, places: readonly string[]])[]> {
  await page.evaluate(readFileSync(require.resolve('axe-core/axe.min.js'), 'utf8'));
  const found = await page.evaluate("axe.run('main', { resultTypes: ['violations'] })");
  return (at(found, 'violations') as readonly Violation[])
    .filter(({ impact }) => impact === 'serious' || impact === 'critical')
    .map(({ id, nodes }) => [id, nodes.map(({ html }) => html)]);
}
