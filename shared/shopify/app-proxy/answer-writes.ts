import { badRequest, errorAnswer, jsonAnswer, tooMany, unavailable } from './proxy-answer.ts';
import { readAnswers } from './read-answers.ts';
import { isId, readBody } from './read-fields.ts';
import type { ForCustomer } from './route.ts';

const CLIENT_KEY = /^[A-Za-z0-9_-]{8,64}$/;

const REFUSALS = {
  'too-few-points': 'There are not enough points for this reward.',
  'not-available': 'This reward cannot be redeemed at the moment.',
  'limit-reached': 'This reward was redeemed as often as it can be.',
  refused: 'The loyalty program refused to redeem this reward.',
} as const;

export const redeem: ForCustomer = async ({ customerId, body, storefront }) => {
  const read = readBody(body, ['rewardId', 'clientKey']);
  if (read.kind === 'bad') return read.answer;
  const { rewardId, clientKey } = read.fields;
  if (!isId(rewardId)) return badRequest('rewardId must be the number of a reward.');
  if (typeof clientKey !== 'string' || !CLIENT_KEY.test(clientKey)) {
    return badRequest('clientKey must be 8 to 64 letters, digits, hyphens or underscores.');
  }
  const answer = await storefront.redeem(customerId, { rewardId, clientKey });
  switch (answer.kind) {
    case 'redemption':
      return jsonAnswer({ redemption: answer.redemption });
    case 'refused':
      return errorAnswer(409, answer.why, REFUSALS[answer.why]);
    case 'too-many':
      return tooMany(answer.afterSeconds);
    case 'unavailable':
      return unavailable();
  }
};

export const answer: ForCustomer = async ({ customerId, body, storefront }) => {
  const read = readAnswers(body);
  if (read.kind === 'bad') return read.answer;
  const answered = await storefront.answer(customerId, read.answers);
  switch (answered.kind) {
    case 'answered':
      return jsonAnswer(answered.value);
    case 'not-available':
      return errorAnswer(409, 'not-available', 'There is no such quiz at the moment.');
    case 'not-the-quiz':
      return badRequest('The answers must be to the questions of this quiz, each once.');
    case 'refused':
      return errorAnswer(409, 'refused', 'The loyalty program did not take these answers.');
    case 'unavailable':
      if (!answered.mayHaveHappened) return unavailable(answered.afterSeconds);
      return errorAnswer(
        503,
        'unavailable',
        'It is not known yet whether the answers arrived. Look at the quiz again in a minute.',
        answered.afterSeconds,
      );
  }
};
