/**
 * 300 taxa in a tree, from the kingdom to the species. Families and higher taxa are real; genera and species are
 * invented, so that these records cannot be mistaken for observations.
 */

export interface Taxon {
  readonly scientificName: string;
  readonly rank: (typeof RANKS)[number];
  /** The scientific name of the taxon above it; null for the root. */
  readonly parent: string | null;
}

/** From the highest. */
export const RANKS = ['kingdom', 'phylum', 'class', 'order', 'family', 'genus', 'species'] as const;

const TOTAL = 300;
const GENERA_PER_FAMILY = 2;

const CLASSES: Readonly<Record<string, Readonly<Record<string, readonly string[]>>>> = {
  Mammalia: {
    Carnivora: ['Felidae', 'Canidae', 'Hyaenidae', 'Mustelidae', 'Herpestidae', 'Ursidae'],
    Artiodactyla: ['Bovidae', 'Cervidae', 'Suidae', 'Giraffidae'],
    Perissodactyla: ['Equidae', 'Rhinocerotidae'],
    Primates: ['Cercopithecidae'],
    Proboscidea: ['Elephantidae'],
    Rodentia: ['Sciuridae', 'Muridae', 'Hystricidae'],
    Lagomorpha: ['Leporidae'],
  },
  Aves: {
    Galliformes: ['Phasianidae', 'Numididae'],
    Accipitriformes: ['Accipitridae'],
    Gruiformes: ['Rallidae'],
    Passeriformes: ['Corvidae', 'Turdidae'],
    Columbiformes: ['Columbidae'],
    Anseriformes: ['Anatidae'],
  },
};

const STEMS = ['Bora', 'Cali', 'Deno', 'Gala', 'Hespe', 'Kora', 'Lomi', 'Mesa', 'Nyro', 'Pelo'];
const ENDINGS = ['ceros', 'dorcas', 'lagus', 'nax', 'pus', 'therium'];
const SYLLABLES = [
  ...['ba', 'ce', 'di', 'fo', 'gu', 'ha', 'ke', 'li', 'mo', 'nu'],
  ...['pa', 're', 'si', 'to', 'va', 'we', 'xi', 'yo', 'zu', 'qa'],
];
const EPITHETS = ['agilis', 'borealis', 'cinereus', 'montanus', 'nocturnus'];

/** All taxa, parents first. @param total how many there are at most; by default those of a package */
export function makeTaxa(total = TOTAL): readonly Taxon[] {
  const taxa: Taxon[] = [
    { scientificName: 'Animalia', rank: 'kingdom', parent: null },
    { scientificName: 'Chordata', rank: 'phylum', parent: 'Animalia' },
  ];
  const genera: string[] = [];
  const add = (rank: Taxon['rank'], scientificName: string, parent: string): void =>
    void taxa.push({ scientificName, rank, parent });
  for (const [name, orders] of Object.entries(CLASSES)) {
    add('class', name, 'Chordata');
    for (const [order, families] of Object.entries(orders)) {
      add('order', order, name);
      for (const family of families) {
        add('family', family, order);
        for (let i = 0; i < GENERA_PER_FAMILY; i += 1) {
          const genus = genusName(genera.length);
          genera.push(genus);
          add('genus', genus, family);
        }
      }
    }
  }
  const missing = total - taxa.length;
  for (let i = 0; i < missing; i += 1) {
    const genus = genera[i % genera.length] ?? '';
    add('species', `${genus} ${epithet(Math.floor(i / genera.length))}`, genus);
  }
  return taxa;
}

/** Of more than there are, each is made of two. */
function epithet(index: number): string {
  const known = EPITHETS[index];
  if (known !== undefined) return known;
  const first = STEMS[index % STEMS.length] ?? '';
  const second = SYLLABLES[Math.floor(index / STEMS.length) % SYLLABLES.length] ?? '';
  const third = SYLLABLES[Math.floor(index / STEMS.length / SYLLABLES.length)] ?? '';
  return `${first.toLowerCase()}${third}${second}ensis`;
}

const genusName = (index: number): string =>
  `${STEMS[index % STEMS.length] ?? ''}${ENDINGS[Math.floor(index / STEMS.length)] ?? ''}`;
