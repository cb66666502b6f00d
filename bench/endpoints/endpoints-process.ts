// AWS and the loyalty service for all variants, in their own process, which is not measured.
import { createServer, type RequestListener, type ServerResponse } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { createSelfSignedCertificate } from '../../local/harness/self-signed-certificate.ts';
import { answerQuestions, reportReady } from '../answering-process.ts';
import { POINTS } from '../traffic/visits.ts';
import { createAwsAnswers } from './aws-answers.ts';
import type { Addresses, EndpointsQuestion, EndpointsReport, WaitMs } from './endpoints.ts';

const aws = createAwsAnswers();
let waitMs: WaitMs = {};

const ORDER_ANSWER = JSON.stringify({
  ErrorMessage: null,
  ErrorCode: null,
  HasError: false,
  Result: { Id: 1, OriginalId: '1', State: 1 },
});

const REWARD = { Id: 1, Title: 'Five off', RewardType: 1, Value: 5, Points: 100, CanUse: true };

/** By the path: customers without a tier, each with as many points as the ledger says, and one reward. */
const OTHER_ANSWERS: Readonly<Record<string, object>> = {
  '/v1/pvt/Tiers/available': { CurrentTier: null, NextTiers: [], AllTiers: [] },
  '/v1/pvt/RewardConfigurations': {
    ...{ HasError: false, Items: [], TotalItemCount: 0 },
    ...{ PageSize: 50, PageNumber: 1, HasNextPage: false },
  },
};

const answerAws: RequestListener = async (request, response) => {
  const target = String(request.headers['x-amz-target']);
  const body = await text(request);
  const name = target.slice(target.indexOf('.') + 1);
  const answer = aws.answer(target, body);
  const headers = {
    'content-type': 'application/x-amz-json-1.0',
    'x-amzn-requestid': 'd1a7f5f2-0000-4000-8000-000000000000',
  };
  if (answer === undefined) response.writeHead(400, headers).end('{"__type":"UnknownOperation"}');
  else later(name, response.writeHead(200, headers), JSON.stringify(answer));
};
const awsServer = createServer(answerAws);
const certificate = createSelfSignedCertificate(new Date());
const tlsServer = createTlsServer(certificate, answerAws);

/** Names the customer who was asked about: what the service says of another one is never shown. */
function ofCustomer(path: string, body: string): object | undefined {
  const [, asked] = /^\/v1\/pvt\/Customer\/(\d+)$/.exec(path) ?? [];
  if (asked !== undefined) return { HasError: false, Result: { OriginalId: asked } };
  if (path !== '/v1/pvt/POS/rewards/available') return undefined;
  const Customer = { OriginalId: JSON.parse(body).CustomerId };
  return { AvailablePoints: POINTS, AvailableCashback: 0, Rewards: [REWARD], Customer };
}

const loyaltyServer = createServer(async (request, response) => {
  const body = await text(request);
  const path = request.url?.split('?', 1)[0] ?? '';
  const other = ofCustomer(path, body) ?? OTHER_ANSWERS[path];
  const answer = other ? JSON.stringify(other) : ORDER_ANSWER;
  later('loyalty', response.writeHead(200, { 'content-type': 'application/json' }), answer);
});

function later(name: string, response: ServerResponse, answer: string): void {
  const wait = waitMs[name] ?? 0;
  if (wait > 0) setTimeout(() => response.end(answer), wait);
  else response.end(answer);
}

async function listen(server: typeof awsServer | typeof tlsServer): Promise<string> {
  // A variant may pause between its rounds for longer than Node's default of five seconds.
  server.keepAliveTimeout = 600_000;
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const protocol = server === tlsServer ? 'https' : 'http';
  return `${protocol}://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

answerQuestions<EndpointsQuestion>(async (question) => {
  waitMs = question.waitMs ?? waitMs;
  return { sent: aws.takeSent(), units: aws.takeUnits() } satisfies EndpointsReport;
});
reportReady({
  aws: await listen(awsServer),
  awsTls: await listen(tlsServer),
  loyalty: await listen(loyaltyServer),
  certificate: certificate.cert,
} satisfies Addresses);
