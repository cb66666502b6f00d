import { useState } from 'preact/hooks';
import type { Contact } from '../../../program/answers.ts';
import { fill } from '../../../program/words.ts';
import { hasCode } from './cart.ts';
import type { Step } from './till.ts';
import type { TillView } from './use-till.ts';

/** How far the redemption is. */
export function StepPanel(view: TillView) {
  const { till, words, strings, cart } = view;
  const { step } = till;
  switch (step.kind) {
    case 'choosing':
      return null;
    case 'redeeming':
      return <s-text>{words.strings.rewards.redeeming}</s-text>;
    case 'contact':
      return <AskForContact {...view} step={step} />;
    case 'challenge':
      return <Challenge {...view} />;
    case 'waiting':
      return (
        <s-banner heading={strings.states[step.redemption.state]} tone="info">
          <Back {...view} />
        </s-banner>
      );
    case 'given': {
      const { code } = step;
      const sentence = hasCode(cart, code) ? strings.given : strings.handedOver;
      return (
        <s-banner heading={fill(sentence, { code })} tone="success">
          <s-button slot="primary-action" onClick={() => window.close()}>
            {strings.close}
          </s-button>
        </s-banner>
      );
    }
    case 'kept': {
      const { code, why } = step;
      return (
        <s-banner heading={strings.cart[why]} tone="critical">
          <s-text>{fill(strings.kept, { code })}</s-text>
          <Back {...view} />
        </s-banner>
      );
    }
    case 'failed':
      return (
        <s-banner heading={words.failure(step.failure)} tone="critical">
          {step.failure.programMessage && <s-text>{step.failure.programMessage}</s-text>}
          {step.mayHaveHappened ? (
            <>
              <s-text>{strings.mayHaveHappened}</s-text>
              <s-button slot="primary-action" onClick={() => void till.repeat()}>
                {words.strings.tryAgain}
              </s-button>
            </>
          ) : (
            <Back {...view} />
          )}
        </s-banner>
      );
  }
}

function Back({ till, strings }: TillView) {
  return (
    <s-button slot="primary-action" onClick={() => till.leave()}>
      {strings.back}
    </s-button>
  );
}

function AskForContact({
  till,
  strings,
  step: { asks, says, isMalformed },
}: TillView & { readonly step: Extract<Step, { kind: 'contact' }> }) {
  const { contact, back } = strings;
  const [typed, setTyped] = useState<Readonly<Partial<Record<Contact, string>>>>({});
  const given = Object.fromEntries(
    asks.flatMap((one) => (typed[one]?.trim() ? [[one, typed[one].trim()]] : [])),
  );
  return (
    <s-section heading={contact.heading}>
      <s-stack direction="block" gap="base">
        <s-text>{contact.ask}</s-text>
        {says && <s-text>{says}</s-text>}
        {asks.map((one) => (
          <s-text-field
            key={one}
            label={contact.labels[one]}
            value={typed[one] ?? ''}
            error={isMalformed ? contact.malformed : ''}
            onInput={({ currentTarget }) =>
              setTyped({ ...typed, [one]: currentTarget.value ?? '' })
            }
          />
        ))}
        <s-stack direction="inline" gap="base">
          <s-button
            variant="primary"
            disabled={Object.keys(given).length === 0}
            onClick={() => void till.startChallenge(given)}
          >
            {contact.send}
          </s-button>
          <s-button onClick={() => till.leave()}>{back}</s-button>
        </s-stack>
      </s-stack>
    </s-section>
  );
}

function Challenge({ till, words, strings }: TillView) {
  const { challenge, back } = strings;
  const [answer, setAnswer] = useState('');
  const problem = till.step.kind === 'challenge' ? till.step.problem : undefined;
  return (
    <s-section heading={challenge.heading}>
      <s-stack direction="block" gap="base">
        <s-text>{challenge.ask}</s-text>
        <s-text-field
          label={challenge.label}
          value={answer}
          error={problem ? (problem.programMessage ?? words.failure(problem)) : ''}
          onInput={({ currentTarget }) => setAnswer(currentTarget.value ?? '')}
        />
        <s-stack direction="inline" gap="base">
          <s-button
            variant="primary"
            disabled={answer.trim() === ''}
            onClick={() => void till.answerChallenge(answer)}
          >
            {challenge.confirm}
          </s-button>
          <s-button onClick={() => void till.sendAgain()}>{challenge.again}</s-button>
          <s-button onClick={() => till.leave()}>{back}</s-button>
        </s-stack>
      </s-stack>
    </s-section>
  );
}
