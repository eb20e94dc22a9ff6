import type { Service } from '../../src/boot/boot';
import { service as itself } from '../../src/core/caller';
import { objectsOf } from '../../src/plugins/objects/server';
import type { Body } from '../../src/plugins/objects/server/declare/objects';
import type { DemoAccount } from './accounts';

const MALLARD = 'Anas platyrhynchos';

/**
 * Makes three mallards with names and relatives, met in the records. An instance that has individuals keeps them.
 *
 * @returns the ID of one
 */
export async function makeFamily({ strapi }: Service, owner: DemoAccount): Promise<string> {
  const [individuals, encounters, taxa] = [
    strapi.documents('api::individual.individual'),
    strapi.documents('api::encounter.encounter'),
    strapi.documents('api::taxonomy.taxonomy'),
  ];
  const taxon = await taxa.findFirst({ filters: { scientificName: MALLARD } });
  const known = await individuals.findFirst({ sort: 'name:desc' });
  if (!taxon || known) return known?.documentId ?? '<id>';
  const filters = { taxonomy: { documentId: taxon.documentId } };
  const met = await encounters.findMany({ filters, sort: 'timeStart', limit: 3 });
  const make = async (name: string, sex: string | null, rest: Body): Promise<string> => {
    const names = [{ context: 'nickname', value: name, preferred: true }];
    const body = { names, sex, owner: owner.id, taxonomy: taxon.documentId, ...rest };
    return (await objectsOf(strapi).write({ op: 'create', type: 'individual', body }, itself)).id;
  };
  const [first, ...others] = met.map(({ documentId }) => documentId);
  const mother = await make('Alba', 'female', { encounters: first === undefined ? [] : [first] });
  const father = await make('Bruno', 'male', {
    encounters: others,
    relationships: [{ individual: mother, type: 'mate' }],
  });
  const parents = [
    { individual: mother, type: 'mother' },
    { individual: father, type: 'father' },
  ];
  return make('Coco', null, { time_of_birth: '2020', relationships: parents });
}
