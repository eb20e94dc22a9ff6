/** What the values in the form look like to others, before they are saved. */
import { useState, type ComponentType, type ReactNode } from 'react';
import {
  Box,
  Field,
  Flex,
  SingleSelect,
  SingleSelectOption,
  Typography,
} from '@strapi/design-system';
import { useForm } from '@strapi/strapi/admin';
import { languageName } from '../inputs/records/localized-part';
import { usePanelTexts } from '../parts/texts';
import type { SectionProps } from '../seams/form-sections';
import { FormPreview } from './form-preview';
import { RegionsPreview } from './regions-preview';
import type { SettingsValues, TextIn } from './values';
import { VisitorPreview } from './visitor-preview';

interface PartProps {
  readonly values: SettingsValues;
  readonly textIn: TextIn;
}

/** By the section that ends with it. */
const PREVIEWS: Readonly<Record<string, ComponentType<PartProps>>> = {
  site: VisitorPreview,
  regions: RegionsPreview,
  fields: FormPreview,
};

export default function PreviewOfValues({ section }: SectionProps) {
  const say = usePanelTexts('preview');
  const values = useForm('PreviewOfValues', (form) => form.values) as SettingsValues;
  const languages = values.languages?.length ? values.languages : ['en'];
  const own = values.defaultLanguage ?? '';
  const [chosen, setChosen] = useState<string | null>(null);
  const first = languages.includes(own) ? own : (languages[0] ?? 'en');
  const language = chosen !== null && languages.includes(chosen) ? chosen : first;
  const textIn: TextIn = (texts) =>
    texts?.[language] ?? texts?.[own] ?? Object.values(texts ?? {})[0] ?? '';
  const Preview = PREVIEWS[section];
  if (!Preview) return null;
  return (
    <Frame title={say(`${section}.title`)} about={say(`${section}.about`)}>
      {languages.length > 1 ? (
        <Field.Root width="20rem">
          <Field.Label>{say('language')}</Field.Label>
          <SingleSelect value={language} onChange={(tag) => setChosen(String(tag))}>
            {languages.map((tag) => (
              <SingleSelectOption key={tag} value={tag}>
                {languageName(tag, document.documentElement.lang) || tag}
              </SingleSelectOption>
            ))}
          </SingleSelect>
        </Field.Root>
      ) : null}
      <div lang={language}>
        <Preview values={values} textIn={textIn} />
      </div>
    </Frame>
  );
}

const Frame = (props: {
  readonly title: string;
  readonly about: string;
  readonly children: ReactNode;
}) => (
  <Box
    tag="section"
    aria-label={props.title}
    borderColor="neutral200"
    borderStyle="dashed"
    background="neutral100"
    hasRadius
    padding={4}
  >
    <Flex direction="column" alignItems="stretch" gap={4}>
      <Flex direction="column" alignItems="stretch" gap={1}>
        <Typography variant="delta" tag="h3">
          {props.title}
        </Typography>
        <Typography variant="pi" textColor="neutral600">
          {props.about}
        </Typography>
      </Flex>
      {props.children}
    </Flex>
  </Box>
);
