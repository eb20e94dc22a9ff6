import { TableRow } from '../package/row';
import { readTime } from './event-date';
import { isoTime } from './iso-time';

const row = (cells: Record<string, string>): TableRow =>
  new TableRow(
    new Map(Object.keys(cells).map((term, index) => [term, index])),
    Object.values(cells),
    2,
    { file: 'occurrence.txt', missing: new Set(['']) },
  );

const TIMES: [string, string | null][] = [
  ['1998', '1998'],
  ['2005-07', '2005-07'],
  ['2005-7-3', '2005-07-03'],
  ['20050703', '2005-07-03'],
  ['2018-05-09T14:15:00Z', '2018-05-09T14:15:00Z'],
  ['2018-05-09T14:15+0200', '2018-05-09T14:15+02:00'],
  ['2018-05-09 14:15:00.5-07', '2018-05-09T14:15:00.5-07:00'],
  ['2018-05-09t9:15z', '2018-05-09T09:15Z'],
  ['2018-05-09T14:15', '2018-05-09T14:15'],
  ['1998/2000', '1998/2000'],
  ['2007-11-13/15', '2007-11-13/2007-11-15'],
  ['2007-11-13/12-02', '2007-11-13/2007-12-02'],
  ['2007-11/12', '2007-11/2007-12'],
  ['2009-02-20T08:40Z/18:40Z', '2009-02-20T08:40Z/2009-02-20T18:40Z'],
  ['2007-03-01T13:00:00Z/2008-05-11T15:30:00Z', '2007-03-01T13:00:00Z/2008-05-11T15:30:00Z'],
  ['2007-11-13/2007-11-13', '2007-11-13'],
  ['2007-11-15/13', null],
  ['1998-00-00', null],
  ['2021-02-30', null],
  ['03/04/2018', null],
  ['13/04', null],
  ['2009-W05', null],
  ['May 1998', null],
  ['2018-05-09T25:00Z', null],
  ['0000', null],
  ['1998/..', null],
  ['2012-122', '2012-05-01'],
  ['2011-366', null],
  ['2012-05-01T10', '2012-05-01T10:00/2012-05-01T10:59'],
];

test.each(TIMES)('the eventDate %s', (text, time) => {
  expect(isoTime(text)).toBe(time);
});

const COLUMNS: [Record<string, string>, string | null, string | null, string[]][] = [
  [{ year: '1998' }, '1998', null, []],
  [{ year: '1998', month: '6' }, '1998-06', null, []],
  [{ year: '1998', month: '06', day: '3' }, '1998-06-03', null, []],
  [{ year: '1998', day: '3' }, '1998', null, []],
  [{ year: '1998', month: '2', day: '30' }, '1998-02', null, ['day is no day of its month']],
  [{ year: '1998', month: 'June' }, '1998', null, ['month is not a number']],
  [{ month: '6', day: '3' }, null, null, []],
  [
    { eventDate: '2018', year: '1998' },
    null,
    '2018',
    ['eventDate does not agree with year, month and day, and is left out'],
  ],
  [{ eventDate: '16.06.2009', year: '2009', month: '6' }, '2009-06', '16.06.2009', []],
  [{ eventDate: '2009-06-00', year: '2009', month: '6' }, '2009-06', '2009-06-00', []],
  [{ eventDate: '2009', year: '2009', month: '6', day: '1' }, '2009-06-01', null, []],
  [
    { eventDate: '2009-06-01T23:30Z', year: '2009', month: '6', day: '2' },
    '2009-06-01T23:30Z',
    null,
    [],
  ],
  [{ year: '12' }, null, null, ['year is no year of four digits']],
  [
    { eventDate: '2018-05-09/' },
    '2018-05-09',
    '2018-05-09/',
    ['eventDate has no end, and its start is read'],
  ],
  [{ eventDate: '2018-05-09', eventTime: '0930' }, '2018-05-09T09:30', null, []],
  [{ eventDate: '2018-05-09', eventTime: '9:30 pm' }, '2018-05-09T21:30', null, []],
  [
    { eventDate: '2018-05-31', eventTime: '22:00/02:00' },
    '2018-05-31T22:00/2018-06-01T02:00',
    null,
    [],
  ],
  [{ eventDate: '2018-05-09', eventTime: '14:05+02' }, '2018-05-09T14:05+02:00', null, []],
  [
    { eventDate: '2018-05-09', eventTime: '13:00Z/15:30Z' },
    '2018-05-09T13:00Z/2018-05-09T15:30Z',
    null,
    [],
  ],
  [{ eventDate: '2018-05-09T10:00Z', eventTime: '11:00' }, '2018-05-09T10:00Z', null, []],
  [
    { eventDate: '2018-05-09', eventTime: 'dusk' },
    '2018-05-09',
    null,
    ['eventTime is no time of day such as 14:05:00+02:00'],
  ],
  [
    { eventDate: '2018-05', eventTime: '11:00' },
    '2018-05',
    null,
    ['eventTime cannot be added to a date that is not one day'],
  ],
  [
    { eventDate: 'spring 1998' },
    null,
    'spring 1998',
    ['eventDate is no time in a form of ISO 8601, or does not exist'],
  ],
  [{ eventDate: '1998', verbatimEventDate: 'in 1998' }, '1998', 'in 1998', []],
];

test.each(COLUMNS)('the columns %j', (cells, time, verbatim, faults) => {
  const read = row(cells);
  expect(readTime(read)).toEqual({ time, verbatim });
  expect(read.faults.map(({ field, reason }) => `${field} ${reason}`)).toEqual(faults);
});
