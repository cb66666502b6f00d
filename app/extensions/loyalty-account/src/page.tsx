import '@shopify/ui-extensions/preact';
import type { Api } from '@shopify/ui-extensions/customer-account.page.render';
import { render } from 'preact';
import type { FailureCode } from '../../../program/answers.ts';
import type { Failure } from '../../../program/ask.ts';
import { answered, type Model } from '../../../program/program.ts';
import { Account } from './account.ts';
import { Balance, History } from './balance.tsx';
import { Codes, Invite, Rewards } from './rewards.tsx';

declare const shopify: Api;

export default async (): Promise<void> => {
  const account = new Account(shopify);
  render(<Page account={account} />, document.body);
  await account.load();
};

function Page({ account }: { readonly account: Account }) {
  void account.changes;
  return (
    <s-page heading={account.strings.heading} inlineSize="large">
      <s-query-container>
        <s-stack gap="large">
          <Content account={account} />
        </s-stack>
      </s-query-container>
    </s-page>
  );
}

function Content({ account }: { readonly account: Account }) {
  const { program, words, isLoading } = account;
  if (isLoading) {
    return (
      <s-section accessibilityLabel={words.strings.loading}>
        <s-stack gap="base">
          <s-skeleton-paragraph />
          <s-skeleton-paragraph />
          <s-skeleton-paragraph />
        </s-stack>
      </s-section>
    );
  }
  const { view: asked, change } = program.model;
  const failure = failureOf(asked);
  const view = answered(asked);
  return (
    <>
      {failure && <Problem account={account} failure={failure} />}
      {view && (
        <>
          <Balance view={view} change={change} words={words} />
          <Codes account={account} redemptions={account.redemptionsApart} />
          <Rewards account={account} rewards={view.rewards} />
          {view.referral && <Invite account={account} referral={view.referral} />}
          <History account={account} />
        </>
      )}
    </>
  );
}

/** A view without rewards is the last that is known: the program cannot be reached. */
function failureOf(asked: Model['view']): Failure | undefined {
  if (asked?.kind !== 'ok') return asked;
  const { loggedIn, rewards, retryAfterSeconds } = asked.value;
  const failed = (code: FailureCode, afterSeconds?: number): Failure => ({
    kind: 'failed',
    code,
    afterSeconds,
  });
  if (!loggedIn) return failed('not-logged-in');
  return rewards === null ? failed('unavailable', retryAfterSeconds ?? undefined) : undefined;
}

function Problem({ account, failure }: { readonly account: Account; readonly failure: Failure }) {
  const { words } = account;
  return (
    <s-banner tone="critical">
      <s-stack gap="small" alignItems="start">
        <s-paragraph>{words.failure(failure)}</s-paragraph>
        <s-button onClick={() => void account.load()}>{words.strings.tryAgain}</s-button>
      </s-stack>
    </s-banner>
  );
}
