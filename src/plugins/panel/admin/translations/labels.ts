/** The labels of attributes: those of the fields of the interface, from its catalogue of texts (`public/locales`). */

const UIDS: Readonly<Record<string, string>> = {
  asset: 'api::asset.asset',
  collaboration: 'api::collaboration.collaboration',
  encounter: 'api::encounter.encounter',
  individual: 'api::individual.individual',
  org: 'api::org.org',
  site_settings: 'api::site-settings.site-settings',
  taxonomy: 'api::taxonomy.taxonomy',
  user: 'plugin::users-permissions.user',
};

/** Attributes whose names are not those of their fields. */
const ATTRIBUTES: Readonly<Record<string, string>> = {
  taxonomy_status: 'taxonomicStatus',
  user_role: 'accountRole',
};

const LABEL = new RegExp(`^FIELD_((${Object.keys(UIDS).join('|')})_(\\w+))$`);

const attributeOf = (field: string): string =>
  field.replace(/_(\w)/g, (_, letter: string) => letter.toUpperCase());

/** By the keys under which Strapi looks for them, in forms and lists. */
export function labelsIn(catalog: Readonly<Record<string, string>>): Record<string, string> {
  const labels: Record<string, string> = {};
  for (const [key, text] of Object.entries(catalog)) {
    const [, name = '', type = '', field = ''] = LABEL.exec(key) ?? [];
    const uid = UIDS[type];
    if (uid !== undefined)
      labels[`content-manager.content-types.${uid}.${ATTRIBUTES[name] ?? attributeOf(field)}`] =
        text;
  }
  return labels;
}

const TYPES = new Map(Object.entries(UIDS).map(([type, uid]) => [uid, type]));
const FIELDS = new Map(Object.entries(ATTRIBUTES).map(([field, attribute]) => [attribute, field]));

/** The texts of values of enumerations, by their keys in the catalogue. */
export const valuesIn = (catalog: Readonly<Record<string, string>>): Record<string, string> =>
  Object.fromEntries(Object.entries(catalog).filter(([key]) => key.startsWith('VALUE_')));

/** The key of the text of a value: `VALUE_<type>_<field>_<value>`, in which whatever is no letter or digit is `_`. */
export function valueKey(uid: string, attribute: string, value: string): string {
  const snake = attribute.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
  const field = FIELDS.get(attribute) ?? `${TYPES.get(uid)}_${snake}`;
  return `VALUE_${field}_${value.replace(/\W/g, '_')}`;
}
