import { useEffect, useState, type WheelEvent } from 'react';
import { useIntl } from 'react-intl';
import { Box, Button, Flex, Typography } from '@strapi/design-system';
import { styled } from 'styled-components';
import { usePicture } from '../../parts/pictures';
import { useSay } from './texts';
import type { Asset } from './types';

const Stage = styled.div`
  position: relative;
  flex: 1;
  min-height: 0;
  overflow: auto;
  display: grid;
  place-items: center;
  border-radius: 4px;
  background: #181826;
  color: #ffffff;
`;

const Strip = styled.button<{ readonly $isCurrent: boolean }>`
  width: 64px;
  height: 48px;
  padding: 0;
  overflow: hidden;
  cursor: pointer;
  border-radius: 4px;
  background: ${({ theme }) => theme.colors.neutral150};
  border: 2px solid
    ${({ theme, $isCurrent }) => ($isCurrent ? theme.colors.primary600 : 'transparent')};
  &:focus-visible {
    outline: 2px solid ${({ theme }) => theme.colors.primary600};
  }
  img {
    width: 100%;
    height: 100%;
    object-fit: cover;
  }
`;

const LARGEST = 6;
const NORMAL = 100;

interface Props {
  readonly ids: readonly string[];
  readonly assets: readonly Asset[];
  readonly at: number;
  readonly onShow: (at: number) => void;
}

/** The photographs of a record: one of them large. */
export function Photographs({ ids, assets, at, onShow }: Props) {
  const say = useSay();
  const id = ids[at] ?? null;
  const { address, isMissing } = usePicture(id, 'large');
  const [zoom, setZoom] = useState(1);
  const [light, setLight] = useState(NORMAL);
  useEffect(() => {
    setZoom(1);
    setLight(NORMAL);
  }, [id]);
  const turn = ({ ctrlKey, deltaY }: WheelEvent): void => {
    if (ctrlKey)
      setZoom((now) => Math.min(LARGEST, Math.max(1, now * (deltaY < 0 ? 1.2 : 1 / 1.2))));
  };
  return (
    <Flex direction="column" alignItems="stretch" gap={2} height="100%" padding={3}>
      <Stage onWheel={turn} data-large={address === null ? undefined : id}>
        {id === null ? <span>{say('noPhotograph')}</span> : null}
        {isMissing ? <span role="alert">{say('photographMissing')}</span> : null}
        {address === null ? null : (
          <img
            src={address}
            alt={say('photograph', { at: at + 1, count: ids.length })}
            style={{
              width: `${zoom * 100}%`,
              height: `${zoom * 100}%`,
              objectFit: 'contain',
              filter: `brightness(${light}%)`,
            }}
          />
        )}
      </Stage>
      {id === null ? null : (
        <Flex gap={3} justifyContent="space-between" wrap="wrap">
          <Flex gap={1} tag="ul" aria-label={say('photographs')}>
            {ids.map((one, index) => (
              <li key={one}>
                <Small
                  id={one}
                  at={index}
                  count={ids.length}
                  isCurrent={index === at}
                  onShow={onShow}
                />
              </li>
            ))}
          </Flex>
          <Flex gap={2} tag="label">
            <Typography variant="pi">{say('brightness')}</Typography>
            <input
              type="range"
              min={50}
              max={250}
              value={light}
              onChange={({ currentTarget }) => setLight(Number(currentTarget.value))}
            />
          </Flex>
          <Flex gap={1}>
            <Button
              variant="tertiary"
              size="S"
              aria-label={say('smaller')}
              disabled={zoom <= 1}
              onClick={() => setZoom((now) => Math.max(1, now / 1.5))}
            >
              −
            </Button>
            <Button
              variant="tertiary"
              size="S"
              aria-label={say('larger')}
              disabled={zoom >= LARGEST}
              onClick={() => setZoom((now) => Math.min(LARGEST, now * 1.5))}
            >
              +
            </Button>
          </Flex>
        </Flex>
      )}
      <Exif asset={assets.find((asset) => asset.id === id)} />
    </Flex>
  );
}

function Small({
  id,
  at,
  count,
  isCurrent,
  onShow,
}: {
  readonly id: string;
  readonly at: number;
  readonly count: number;
  readonly isCurrent: boolean;
  readonly onShow: (at: number) => void;
}) {
  const say = useSay();
  const { address } = usePicture(id, 'thumbnail');
  return (
    <Strip type="button" $isCurrent={isCurrent} aria-current={isCurrent} onClick={() => onShow(at)}>
      {address === null ? null : (
        <img src={address} alt={say('photograph', { at: at + 1, count })} />
      )}
    </Strip>
  );
}

/** What the camera has written. */
function Exif({ asset }: { readonly asset: Asset | undefined }) {
  const say = useSay();
  const { locale } = useIntl();
  if (!asset) return <Box minHeight="2rem" />;
  const { filename, width, height, camera, taken_at: taken, latitude, longitude } = asset;
  const place =
    latitude === null || longitude === null
      ? say('exif.noPlace')
      : `${latitude.toLocaleString(locale, { maximumFractionDigits: 5 })}, ${longitude.toLocaleString(locale, { maximumFractionDigits: 5 })}`;
  const parts = [filename, width && height ? `${width} × ${height}` : null, camera];
  return (
    <Box minHeight="2rem">
      <Typography variant="pi" textColor="neutral600">
        {[...parts.filter(Boolean), taken ?? say('exif.noTime'), place].join(' · ')}
      </Typography>
    </Box>
  );
}
