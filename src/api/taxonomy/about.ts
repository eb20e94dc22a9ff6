/** What the OpenAPI document says of these calls. */
import type { CallTexts } from '../../endpoints/about';

export const ABOUT: CallTexts = {
  create:
    'A taxon that encounters can name. Give `parent`: without it neither `taxonomy_under` nor the privacy of ranks above reaches it.',
  read: 'One taxon with its names in all languages.',
  update:
    'A stricter `location_privacy` hides the encounters of the taxon and of all below it at once; a looser one opens them when a job is done.',
  delete: 'A taxon that something refers to is refused with `IN_USE`: make it a synonym instead.',
  history: 'Who changed what of one taxon, for moderators.',
  search: 'Finds taxa by scientific and vernacular names, rank, parent and any field.',
  suggest:
    'Fills the input of a taxon while somebody types: `wilde ee` and `anas plat` both suggest the mallard, with its rank and the taxon above.',
  export: 'All taxa that a search finds, as a table.',
};
