import { useForm } from '@strapi/strapi/admin';
import { useIntl } from 'react-intl';
import type { PartProps } from './form';
import { PairsPart } from './pairs-part';
import type { PairTexts } from './pairs';

/** A localized text: language tags to texts. */
export type LocalizedTexts = PairTexts;

const PANEL_LANGUAGES = ['en', 'es', 'fr'];

/** A localized text: a row for each language. */
export function LocalizedPart(props: PartProps & { readonly isLong?: boolean }) {
  const intl = useIntl();
  const say = (id: string): string => intl.formatMessage({ id: `panel.localized.${id}` });
  // Those of the instance, on the page of its settings.
  const offered = useForm(
    'LocalizedPart',
    (form) => (form.values as Readonly<Record<string, unknown>>)['languages'],
  );
  const languages = Array.isArray(offered) ? offered.map(String) : PANEL_LANGUAGES;
  return (
    <PairsPart
      {...props}
      words={{
        key: say('language'),
        text: say('text'),
        placeholder: say('placeholder'),
        remove: say('remove'),
        add: say('add'),
      }}
      about={(tag) => languageName(tag, intl.locale)}
      nextKey={(rows) => languages.find((tag) => !rows.some(({ key }) => key === tag)) ?? ''}
    />
  );
}

/** The name of a language in that of the panel; empty for what is no tag. */
export function languageName(tag: string, panel: string): string {
  try {
    return new Intl.DisplayNames([panel], { type: 'language', fallback: 'none' }).of(tag) ?? '';
  } catch {
    return '';
  }
}
