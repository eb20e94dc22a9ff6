import { Box, Button, Field, Flex, IconButton, Textarea, TextInput } from '@strapi/design-system';
import { Plus, Trash } from '@strapi/icons';
import { useForm } from '@strapi/strapi/admin';
import { useIntl } from 'react-intl';
import { useFaults, usePart, type PartProps } from './form';
import { languageName, nextLanguage, rowsOf, textsOf, type Localized, type Row } from './localized';
import { Faults } from './records';

const PANEL_LANGUAGES = ['en', 'es', 'fr'];

/** A localized text: a row for each language. */
export function LocalizedPart({
  name,
  label,
  hint,
  disabled = false,
  isLong = false,
}: PartProps & { readonly isLong?: boolean }) {
  const intl = useIntl();
  const say = (id: string): string => intl.formatMessage({ id: `panel.localized.${id}` });
  const { value, change } = usePart<Localized>(name);
  const { text, parts } = useFaults(name);
  // Those of the instance, on the page of its settings.
  const offered = useForm(
    'LocalizedPart',
    (form) => (form.values as Readonly<Record<string, unknown>>)['languages'],
  );
  const rows = rowsOf(value);
  const keys = Object.keys(value ?? {});
  const put = (at: number, row: Partial<Row>): void =>
    change(textsOf(rows.map((old, other) => (other === at ? { ...old, ...row } : old))));
  const wanted = Array.isArray(offered) ? offered.map(String) : PANEL_LANGUAGES;
  const Input = isLong ? Textarea : TextInput;

  return (
    <Flex direction="column" alignItems="stretch" gap={2}>
      {label === undefined ? null : (
        <Field.Root hint={hint}>
          <Field.Label>{label}</Field.Label>
          <Field.Hint />
        </Field.Root>
      )}
      {rows.map(({ language, text: written }, at) => {
        const fault = parts[keys[at] ?? ''];
        return (
          <Field.Root key={at} error={typeof fault === 'string' ? fault : undefined}>
            <Flex gap={2} alignItems="flex-start">
              <Box width="14rem">
                <TextInput
                  name={`${name}.${at}.language`}
                  aria-label={say('language')}
                  placeholder={say('placeholder')}
                  autoComplete="off"
                  disabled={disabled}
                  value={language}
                  endAction={<span>{languageName(language, intl.locale)}</span>}
                  onChange={({ currentTarget }) => put(at, { language: currentTarget.value })}
                />
              </Box>
              <Box flex="1">
                <Input
                  name={`${name}.${at}.text`}
                  aria-label={say('text')}
                  autoComplete="off"
                  disabled={disabled}
                  value={written}
                  onChange={({ currentTarget }: { currentTarget: { value: string } }) =>
                    put(at, { text: currentTarget.value })
                  }
                />
              </Box>
              {disabled ? null : (
                <IconButton
                  label={say('remove')}
                  onClick={() => change(textsOf(rows.filter((_, other) => other !== at)))}
                >
                  <Trash />
                </IconButton>
              )}
            </Flex>
            <Field.Error />
          </Field.Root>
        );
      })}
      <Faults texts={text === undefined ? [] : [text]} />
      {disabled ? null : (
        <Flex>
          <Button
            variant="tertiary"
            startIcon={<Plus />}
            onClick={() =>
              change(textsOf([...rows, { language: nextLanguage(rows, wanted), text: '' }]))
            }
          >
            {say('add')}
          </Button>
        </Flex>
      )}
    </Flex>
  );
}
