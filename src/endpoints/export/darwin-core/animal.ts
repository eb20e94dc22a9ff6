import type { Field } from '../../../plugins/objects/server/declare/completed';
import type { IndividualName } from '../../../plugins/objects/server/kinds/individual-names';
import type { Body } from '../../../plugins/objects/server/declare/objects';
import type { ExportSource } from '../source';
import { traitsOf } from '../../../plugins/objects/server/kinds/traits';

/** Characters of the context of a name: the source of its dataset. */
const MAX_CONTEXT = 100;

/** The name that an animal has in the dataset of an encounter; null without one. */
export function nameInDataset(names: unknown, source: unknown): string | null {
  if (typeof source !== 'string') return null;
  const context = source.slice(0, MAX_CONTEXT);
  const all = (names ?? []) as readonly IndividualName[];
  return all.find((name) => name.context === context)?.value ?? null;
}

/** `organismID`: what its dataset calls the animal, so that a round trip adds no names; else the ID that it has here. */
export function idOfAnimal(
  {
    object,
    referred,
  }: { readonly object: Body; readonly referred: Readonly<Record<string, Body | null>> },
  { name, to }: Field,
  { resources, resource }: Pick<ExportSource, 'resources' | 'resource'>,
): unknown {
  const names = [...(resources.get(to ?? '')?.fields.values() ?? [])].find(
    (field) => traitsOf(field).isNames,
  );
  const source = [...resource.fields.values()].find(({ term }) => term === 'datasetID');
  const animal = referred[name];
  return nameInDataset(animal?.[names?.name ?? ''], object[source?.name ?? '']) ?? object[name];
}
