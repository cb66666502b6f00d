import type { CatalogQuiz } from '../catalog.ts';

/** One that is open, and one that has ended. */
export const quizzes: readonly CatalogQuiz[] = [
  {
    id: 1,
    name: 'What do you wear at home?',
    start: '2020-01-01T00:00:00Z',
    end: '2099-12-31T23:59:59Z',
    points: 25,
    questions: [
      {
        id: 11,
        kind: 'choice',
        text: 'Which fabrics do you like?',
        options: [
          { id: 101, text: 'Linen' },
          { id: 102, text: 'Cotton' },
          { id: 103, text: 'Wool' },
        ],
        atMost: 2,
      },
      { id: 12, kind: 'open', text: 'Which colour is missing from our shop?' },
    ],
  },
  {
    id: 2,
    name: 'Winter 2021',
    start: '2021-01-01T00:00:00Z',
    end: '2021-02-28T23:59:59Z',
    points: 40,
    questions: [
      {
        id: 21,
        kind: 'choice',
        text: 'Was it cold?',
        options: [
          { id: 201, text: 'Yes' },
          { id: 202, text: 'No' },
        ],
        atMost: 1,
      },
    ],
  },
];
