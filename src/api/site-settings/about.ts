/** What the OpenAPI document says of these calls. */
import type { CallTexts } from '../../endpoints/about';

export const ABOUT: CallTexts = {
  read: 'Names, languages, regions, custom fields and switches of this site: what a frontend reads first. Administrators see more of them.',
  update:
    'A change works on all servers within two seconds. A region or custom field that records use cannot be removed.',
};
