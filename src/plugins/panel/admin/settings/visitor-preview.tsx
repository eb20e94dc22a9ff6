/** The head and foot of a page as a frontend may show them to a visitor. */
import { Box, Flex, Typography } from '@strapi/design-system';
import { usePanelTexts } from '../parts/texts';
import type { SettingsValues, TextIn } from './values';

export function VisitorPreview(props: {
  readonly values: SettingsValues;
  readonly textIn: TextIn;
}) {
  const { values, textIn } = props;
  const say = usePanelTexts('preview');
  const links = [
    ...(values.contactEmail ? [values.contactEmail] : []),
    ...(values.termsUrl ? [say('site.terms')] : []),
    ...(values.privacyUrl ? [say('site.privacy')] : []),
  ];
  const announcement = textIn(values.announcement);
  return (
    <Box background="neutral0" borderColor="neutral200" hasRadius overflow="hidden">
      {announcement === '' ? null : (
        <Box background="primary100" padding={3}>
          <Typography>{announcement}</Typography>
        </Box>
      )}
      <Flex direction="column" alignItems="stretch" gap={2} padding={5}>
        <Typography variant="alpha" tag="p">
          {textIn(values.siteName) || say('site.unnamed')}
        </Typography>
        <Typography variant="epsilon">{textIn(values.tagline)}</Typography>
        <Typography style={{ whiteSpace: 'pre-line' }}>{textIn(values.description)}</Typography>
      </Flex>
      <Flex gap={4} padding={3} background="neutral100" wrap="wrap">
        {links.map((text) => (
          <Typography key={text} variant="pi" textColor="primary600">
            {text}
          </Typography>
        ))}
        {links.length === 0 ? (
          <Typography variant="pi" textColor="neutral600">
            {say('site.noLinks')}
          </Typography>
        ) : null}
      </Flex>
    </Box>
  );
}
