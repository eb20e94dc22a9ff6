/** Bounding boxes by their names. */
import { useEffect, useRef } from 'react';
import { latLngBounds, rectangle, type LatLngBoundsExpression } from 'leaflet';
import { useTheme } from 'styled-components';
import { MapFrame, useLandMap } from './land-map';

/** In the order of RFC 7946, section 5; over the date line the west lies east of the east. */
type Sides = readonly [west: number, south: number, east: number, north: number];

interface Props {
  readonly boxes: readonly { readonly name: string; readonly sides: Sides }[];
  readonly label: string;
}

export default function BoxesMap({ boxes, label }: Props) {
  const frame = useRef<HTMLDivElement>(null);
  const map = useLandMap(frame);
  const { colors } = useTheme();
  // One text, so that a change elsewhere in the form draws nothing anew.
  const drawn = JSON.stringify(boxes);

  useEffect(() => {
    const shown = map.current;
    if (!shown) return undefined;
    const style = { color: colors.primary600, weight: 2, fillOpacity: 0.1 };
    const layers = (JSON.parse(drawn) as Props['boxes']).map(({ name, sides }) =>
      // What is not text in it stays text.
      rectangle(boundsOf(sides), style).bindTooltip(() => textOf(name)),
    );
    const all = latLngBounds([]);
    for (const layer of layers) all.extend(layer.addTo(shown).getBounds());
    if (all.isValid()) shown.fitBounds(all, { animate: false, maxZoom: 8, padding: [16, 16] });
    return () => {
      for (const layer of layers) layer.remove();
    };
  }, [map, drawn, colors.primary600]);

  return <MapFrame ref={frame} role="group" aria-label={label} />;
}

const FULL_TURN = 360;

function boundsOf([west, south, east, north]: Sides): LatLngBoundsExpression {
  return [
    [south, west],
    [north, east < west ? east + FULL_TURN : east],
  ];
}

function textOf(name: string): HTMLElement {
  const element = document.createElement('span');
  element.textContent = name;
  return element;
}
