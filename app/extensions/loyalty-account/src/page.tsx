import '@shopify/ui-extensions/preact';
import type { Api } from '@shopify/ui-extensions/customer-account.page.render';
import { render } from 'preact';
import type { Failure } from '../../../program/ask.ts';
import { answered } from '../../../program/program.ts';
import { Account } from './account.ts';
import { Balance } from './balance.tsx';
import { Codes } from './codes.tsx';
import { History } from './history.tsx';
import { Quizzes } from './quizzes.tsx';
import { Rewards } from './rewards.tsx';

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
  const { me, rewards, redemptions, quizzes } = program.model;
  const failed = [me, rewards, redemptions].find((asked) => asked?.kind === 'failed');
  const standing = answered(me);
  return (
    <>
      {failed?.kind === 'failed' && <Problem account={account} failure={failed} />}
      {standing && <Balance standing={standing} words={words} />}
      <Rewards account={account} rewards={answered(rewards)?.rewards} />
      <Codes account={account} redemptions={answered(redemptions)?.redemptions ?? []} />
      <Quizzes account={account} quizzes={answered(quizzes)?.quizzes ?? []} />
      {standing && <History account={account} />}
    </>
  );
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
