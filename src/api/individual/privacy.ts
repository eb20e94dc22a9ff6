/**
 * What strangers are told of individuals (contract, section 6, "Either the place or the animal"). No encounter that is not
 * open tells its individual, so an individual is told of; but what would lead from it to the open records of the same
 * animal or person is not, unless its level is open.
 */
import { sql } from '../../plugins/objects/server/database/sql';
import { levelOfIndividual, viewOfLevel } from '../encounter/level';
import { either, through, type Relation } from '../../plugins/objects/server/declare/relations';
import {
  EXACT,
  type Generalization,
  type ViewsDeclaration,
} from '../../plugins/objects/server/declare/views';
import { generalTime, publicCustomFields } from '../encounter/domain/generalize';
import { LEVELS } from '../encounter/privacy';

/** The relations to an encounter by which it is seen exactly, whatever its level. */
const BY_AN_ENCOUNTER = ['own', 'viewer', 'member', 'claimant'].map((relation) =>
  through('encounter.individual', relation),
);

/**
 * The caller sees one of its encounters exactly. It is not asked where the individual is open, and everybody sees it as it
 * is stored.
 */
export const witness: Relation = (scope) => {
  const sees = either(...BY_AN_ENCOUNTER)(scope);
  const level = levelOfIndividual(scope.column('taxonomy'), scope.privacy);
  return sees && sql`case when ${level} = 0 then 1 = 0 else ${sees} end`;
};

export const individualViews: ViewsDeclaration = {
  exact: { anonymous: 'witness', user: ['own', 'viewer', 'member', 'witness'] },
  names: LEVELS,
  untold: 'untold_since',
  others: (row) =>
    viewOfLevel(levelOfIndividual(row.column('taxonomy'), row.privacy), EXACT, LEVELS),
};

/** A field that is the same in both views. */
const inBoth = <T>(as: T) => ({ obscured: as, private: as }) as const;

/** A date of birth is a mark of its animal, a year is not. */
export const yearOf = (
  name: 'time_of_birth' | 'time_of_death',
  attribute: string,
): Readonly<Record<'obscured' | 'private', Generalization>> =>
  inBoth({ from: [name], as: ({ [name]: time }) => generalTime(time, 'private'), attribute });

export const customFieldsInViews = inBoth<Generalization>({
  from: ['custom_fields'],
  as: ({ custom_fields: values }, { customFields }) =>
    publicCustomFields(values, customFields['individual'] ?? []),
});
