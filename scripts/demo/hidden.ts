/** What visitors of the demo do not see of its records, and why. */
import { hiddenNow } from '../../src/api/encounter/hidden-now';
import type { Service } from '../../src/boot/boot';
import type { HiddenNow } from '../../src/plugins/panel/shared/hidden-now';
import { siteOf } from '../../src/plugins/objects/server';
import type { TellHidden } from '../../src/plugins/objects/server/site/settings';

/** The numbers, and the setting that decides when what is hidden is told. */
export interface Hidden extends HiddenNow {
  readonly tellHidden: TellHidden;
}

export const countHidden = async ({ strapi }: Service): Promise<Hidden> => ({
  ...(await hiddenNow(strapi, new AbortController().signal)),
  tellHidden: siteOf(strapi).current().tellHidden,
});

export function hiddenText({
  encounters,
  hidden,
  unidentified,
  untold,
  tellHidden,
}: Hidden): string {
  const when =
    tellHidden === 'at_once'
      ? `The demo tells hidden records at once (tell_hidden: at_once), so that you need not wait for them: a site that
does not say so tells each on the first of the month after it was reported.`
      : `Hidden records are told on the first of the month after they were reported (tell_hidden: monthly): ${untold}
of them visitors do not see before then.`;
  return `
Of ${encounters} records visitors are told ${hidden} in general terms: without the place, the day, the photographs, the
individual and who reported them. They are of elephants, whose taxon is obscured, or may be of them: ${unidentified} have
no taxon, or one with elephants below it (protect_unidentified).

${when}
`;
}
