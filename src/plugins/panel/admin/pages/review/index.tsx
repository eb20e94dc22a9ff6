/** `/admin/review`: what waits for its review, one record after the other, with the keyboard. */
import { useEffect, useMemo } from 'react';
import { Page } from '@strapi/strapi/admin';
import { Pictures, PicturesProvider } from '../../parts/pictures';
import { readPicture } from './api';
import { ReviewPage } from './review-page';
import { useSay } from './texts';

export default function Review() {
  const say = useSay();
  const pictures = useMemo(() => new Pictures(readPicture), []);
  useEffect(() => () => pictures.close(), [pictures]);
  return (
    <PicturesProvider pictures={pictures}>
      <Page.Title>{say('title')}</Page.Title>
      <ReviewPage pictures={pictures} />
    </PicturesProvider>
  );
}
