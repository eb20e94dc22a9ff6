/** What the pickers of the page offer. */
import { useIntl } from 'react-intl';
import { Box, Flex, Typography } from '@strapi/design-system';
import { usePicture } from '../../parts/pictures';
import { individualText, inLanguage, useSay } from './texts';
import type { Individual, Taxon } from './types';

export function TaxonChoice({ taxon }: { readonly taxon: Taxon }) {
  const { locale } = useIntl();
  const vernacular = inLanguage(taxon.vernacular_names, locale);
  return (
    <Flex direction="column" alignItems="flex-start">
      <Typography fontWeight="semiBold">{taxon.scientific_name}</Typography>
      <Typography variant="pi" textColor="neutral600">
        {[vernacular, taxon.rank].filter(Boolean).join(' · ')}
      </Typography>
    </Flex>
  );
}

/** An individual with its picture, and when it was seen last. */
export function IndividualChoice({ individual }: { readonly individual: Individual }) {
  const say = useSay();
  const photo = /asset\/([^/]+)\/file/.exec(individual.photo_id ?? '')?.[1] ?? null;
  const { address } = usePicture(photo, 'thumbnail');
  const { last_seen: seen, encounter_count: count = 0 } = individual;
  return (
    <Flex gap={2}>
      <Box width="40px" height="40px" background="neutral150" hasRadius overflow="hidden">
        {address === null ? null : (
          <img src={address} alt="" style={{ width: '100%', height: '100%', objectFit: 'cover' }} />
        )}
      </Box>
      <Flex direction="column" alignItems="flex-start">
        <Typography fontWeight="semiBold">{individualText(individual)}</Typography>
        <Typography variant="pi" textColor="neutral600">
          {seen ? say('individual.seen', { time: seen, count }) : say('individual.unseen')}
        </Typography>
      </Flex>
    </Flex>
  );
}
