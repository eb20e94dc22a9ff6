/** Values of fields as those of Darwin Core terms. */
import type { Field } from '../../../plugins/objects/server/declare/completed';
import type { IndividualName } from '../../../plugins/objects/server/kinds/individual-names';
import type { SiteSettings } from '../../../plugins/objects/server/site/settings';
import { localText } from '../source';
import { traitsOf } from '../../../plugins/objects/server/kinds/traits';

export interface Values {
  readonly site: SiteSettings;
  readonly publicUrl: string;
}

/** The name by which an animal is called: the preferred one, else the first. */
export function calledBy(names: unknown): string | null {
  const all = (names ?? []) as readonly IndividualName[];
  return (all.find(({ preferred }) => preferred) ?? all[0])?.value ?? null;
}

/** A value as that of the field's term. Lists stay lists. */
export function valueOf(field: Field, value: unknown, { site, publicUrl }: Values): unknown {
  if (value === null || value === undefined) return null;
  if (typeof value === 'string' && traitsOf(field).isChoice)
    return field.vocabulary[value] ?? value;
  if (traitsOf(field).isTranslated) return localText(value, site);
  if (traitsOf(field).isNames) return calledBy(value);
  return typeof value === 'string' && field.term === 'identifier' ? `${publicUrl}${value}` : value;
}
