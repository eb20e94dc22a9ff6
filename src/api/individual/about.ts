/** What the OpenAPI document says of these calls. */
import type { CallTexts } from '../../endpoints/about';

export const ABOUT: CallTexts = {
  create:
    'A new known animal, usually with its first `names` and the `encounters` that show it. A name that another individual of the taxon has is refused, even if it only looks the same.',
  read: 'What is known of one animal; one that was merged answers `{id, merged_into}` alone.',
  update:
    'The encounters of an individual change by `individual` of each encounter, not here. A relationship is told on both sides.',
  delete: 'Its encounters stay, without an individual.',
  history: 'Who changed what of one individual, for its owner and moderators.',
  search: 'Finds known animals by name, taxon, sex and any field.',
  suggest:
    'Fills the input of an individual while somebody types one of its names, with its picture.',
  export: 'All individuals that a search finds, as a table.',
  merge:
    'For two records of one animal: `from` become this one, with their encounters, names, relationships and followers. Try it with `dry_run` first, which tells the conflicts: there is no call that takes it back.',
};
