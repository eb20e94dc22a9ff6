import { defineResource } from '../../plugins/objects/server/declare/declaration';
import { onlyWhile } from '../../plugins/objects/server/validate/rules';
import { tellUncovered } from './domain/uncovered';
import { nameKey } from './domain/name-key';
import { findNameHolders, kingdom, movesFewTaxa } from './kingdom';

/** A taxon, as which animals are identified. Darwin Core: Taxon. */
export default defineResource({
  uid: 'api::taxonomy.taxonomy',
  path: 'taxonomy',
  term: 'Taxon',
  description: 'A taxon that encounters and individuals are identified as.',
  displayName: 'scientific_name',
  summary: ['scientific_name', 'rank', 'vernacular_names'],
  suggested: { names: ['scientific_name', 'vernacular_names'], beside: ['parent'] },
  rights: {
    create: {},
    read: { anonymous: 'all', user: 'all' },
    update: {},
    delete: {},
    history: {},
  },
  fields: {
    scientific_name: {
      words: true,
      sort: true,
      fold: 'blanks',
      term: 'scientificName',
      description:
        'The name without its authorship. Unique with `rank` within a kingdom, without regard to case and to whether × or x is written.',
    },
    rank: {
      term: 'taxonRank',
      fold: 'lower',
      description: 'Such as `species` or `genus`; kept in lower case.',
    },
    authorship: {
      words: true,
      term: 'scientificNameAuthorship',
      description: 'Who described it, and when.',
    },
    vernacular_names: {
      words: true,
      kind: 'localized',
      term: 'vernacularName',
      description: 'The common name by language.',
    },
    parent: {
      term: 'parentNameUsageID',
      onDelete: 'restrict',
      tree: true,
      description: 'The taxon directly above.',
    },
    status: {
      attribute: 'taxonomicStatus',
      term: 'taxonomicStatus',
      description: 'Whether the name is the accepted one.',
    },
    accepted: {
      term: 'acceptedNameUsageID',
      onDelete: 'restrict',
      tree: true,
      alias: true,
      description: 'The taxon whose name is accepted, of a synonym.',
    },
    itis_tsn: {
      description: 'The taxonomic serial number of the Integrated Taxonomic Information System.',
    },
    gbif_key: {
      description: 'The key in the backbone taxonomy of GBIF.',
    },
    location_privacy: {
      description: 'The least privacy that encounters with this taxon, or one below it, have.',
    },
    enabled: {
      description: 'Whether this instance offers it.',
    },
  },
  unique: [
    {
      attribute: 'nameKey',
      fields: ['rank', 'scientific_name'],
      key: nameKey,
      holders: findNameHolders,
      within: 'kingdom',
    },
    { attribute: 'itisTsn', fields: ['itis_tsn'] },
    { attribute: 'gbifKey', fields: ['gbif_key'] },
  ],
  rules: [onlyWhile('accepted', 'status', 'synonym'), movesFewTaxa, tellUncovered],
  kept: [kingdom],
  // Levels of location privacy, that of the taxon with all that it inherits and that of what is below it: `privacy.ts`.
  // The kingdom: `kingdom.ts`.
  hidden: ['effectivePrivacy', 'protectedBelow', 'kingdom'],
});
