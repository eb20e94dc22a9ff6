/** The sections of a form: their headings in it, and the list of them beside it. */
import { lazy, Suspense } from 'react';
import { Button, Flex, Typography } from '@strapi/design-system';
import { unstable_useDocumentLayout as useDocumentLayout } from '@strapi/strapi/admin';
import { createGlobalStyle } from 'styled-components';
import { usePanelTexts } from '../parts/texts';
import type { Description, PageProps, SidePanel } from '../review/content-manager';
import { sectionsOf, type SectionProps } from '../seams/form-sections';

const Preview = lazy(() => import('./preview'));

const headingId = (section: string): string => `section-${section}`;

export function SectionHeading({ section }: SectionProps) {
  const say = usePanelTexts('section');
  return (
    <Flex
      id={headingId(section)}
      tabIndex={-1}
      direction="column"
      alignItems="stretch"
      gap={1}
      style={{ scrollMarginTop: '10rem' }}
    >
      <Typography variant="beta" tag="h2">
        {say(section)}
      </Typography>
      <Typography textColor="neutral600">{say(`${section}.about`)}</Typography>
    </Flex>
  );
}

export const SectionPreview = (props: SectionProps) => (
  <Suspense fallback={null}>
    <Preview {...props} />
  </Suspense>
);

function show(section: string): void {
  const heading = document.getElementById(headingId(section));
  heading?.scrollIntoView({ block: 'start' });
  heading?.focus({ preventScroll: true });
}

/** What stands beside the form scrolls away with its head in Strapi, Save as well. */
const StaysInView = createGlobalStyle`
  @media (min-width: 1080px) {
    div:has(> aside [data-sections]) {
      position: sticky;
      top: 2rem;
      max-height: calc(100vh - 4rem);
      overflow-y: auto;
    }
  }
`;

/** Beside a form in sections: leads to each of them. */
export const SectionsPanel: Description<PageProps, SidePanel> = ({ model }) => {
  const say = usePanelTexts('section');
  const { edit } = useDocumentLayout(model);
  const sections = sectionsOf(edit);
  if (sections.length === 0) return null;
  return {
    title: say('title'),
    content: (
      <Flex
        tag="nav"
        aria-label={say('title')}
        data-sections
        direction="column"
        alignItems="stretch"
        gap={1}
        width="100%"
      >
        <StaysInView />
        {sections.map((section) => (
          <Button
            key={section}
            variant="ghost"
            size="S"
            justifyContent="flex-start"
            onClick={() => show(section)}
          >
            {say(section)}
          </Button>
        ))}
      </Flex>
    ),
  };
};
