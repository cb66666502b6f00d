import type { Finding } from '../../../../doctor/finding.ts';
import { about, isOffered } from '../../about.ts';
import { openAction } from '../../action.ts';
import { Choice, optionsIn } from '../../parts/choice.tsx';
import { agoText, momentText, words } from '../../words.ts';
import { strings } from './strings.ts';

type Pause = Extract<NonNullable<Finding['about']>, { kind: 'pause' }>;

const QUEUES = ['orders', 'products', 'coupons', 'balances'] as const;

/** Pauses, and what ends them or tries again at once. */
export function Calls({
  pauses,
  onEnd,
}: {
  readonly pauses: readonly Pause[];
  readonly onEnd: () => void;
}) {
  const texts = words(strings);
  const resume = (pause: Pause) => {
    const queue = pause.by === 'operator' && pause.part !== 'all' ? { queue: pause.part } : {};
    openAction({
      title: `${texts.resume}: ${pause.shop}`,
      line: { command: 'resume', options: { shop: pause.shop, ...queue } },
      onEnd,
    });
  };
  return (
    <section>
      <h2>{texts.calls}</h2>
      <div class="card">
        {pauses.length === 0 && <p class="badge well">{texts.notPaused}</p>}
        {pauses.map((pause) => (
          <p class="buttons" key={JSON.stringify(pause)}>
            <span class="badge waits">{pause.shop}</span>
            <span>
              {pause.by === 'operator'
                ? `${pause.part === 'all' ? texts.allCalls : pause.part}: ${texts.pausedBy(nameOf(pause.who))}`
                : texts.pausedByService(momentText(pause.until))}
              , <span title={momentText(pause.since)}>{agoText(pause.since)}</span>
            </span>
            {isOffered('resume') && (
              <button type="button" onClick={() => resume(pause)}>
                {texts.resume}
              </button>
            )}
          </p>
        ))}
        {isOffered('pause') && <CallsForm onEnd={onEnd} />}
      </div>
    </section>
  );
}

/** The user, or the name of a role's session. */
const nameOf = (arn: string) => arn.split('/').at(-1) ?? arn;

function CallsForm({ onEnd }: { readonly onEnd: () => void }) {
  const texts = words(strings);
  const act = (form: HTMLFormElement, which: string | undefined) => {
    const options = optionsIn(form);
    if (which === 'pause') {
      openAction({
        title: texts.pause,
        line: { command: 'pause', options: { ...options, yes: true } },
        children: <p>{texts.pauseMeans}</p>,
        onEnd,
      });
    } else {
      openAction({
        title: texts.retryNow,
        line: { command: 'retry-now', options },
        children: <p>{texts.retryMeans}</p>,
        onEnd,
      });
    }
  };
  return (
    <form
      class="filters"
      onSubmit={(event) => {
        event.preventDefault();
        const { submitter } = event;
        act(event.currentTarget, submitter instanceof HTMLButtonElement ? submitter.value : '');
      }}
    >
      <Choice name="shop" label={texts.shop} of={about.shops} any={texts.all} />
      <Choice
        name="queue"
        label={texts.queue}
        of={QUEUES.filter((one) => one !== 'balances' || about.hasStorefront)}
        any={texts.all}
      />
      <button type="submit" class="quiet" value="pause">
        {texts.pause}
      </button>
      <button type="submit" class="quiet" value="retry-now">
        {texts.retryNow}
      </button>
    </form>
  );
}
