/** The kind of evidence, as https://dwc.tdwg.org/terms/#dwc:basisOfRecord recommends it. */
export const BASIS_OF_RECORD = {
  nullable: true,
  description: 'The kind of evidence of the record; null where that is not known.',
  term: 'basisOfRecord',
  vocabulary: {
    human_observation: 'HumanObservation',
    machine_observation: 'MachineObservation',
    specimen: 'PreservedSpecimen',
  },
} as const;

/** The views other than the exact one, in words. */
export const GENERALIZATIONS = {
  choices: ['obscured', 'private'],
  term: 'dataGeneralizations',
  vocabulary: {
    obscured:
      'Position generalized to the center of a cell of 0.2 degrees and time to the month; details of place, time and observation withheld.',
    private:
      'Position withheld and time generalized to the year; details of place, time and observation withheld.',
  },
};
