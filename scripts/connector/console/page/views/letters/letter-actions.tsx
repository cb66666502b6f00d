import { useState } from 'preact/hooks';
import { openAction } from '../../action.ts';
import { Form, Tick } from '../../parts/form.tsx';
import { numberText } from '../../words.ts';
import { type Filter, optionsOf, optionsOfDrop } from './filter.ts';
import { strings } from './strings.ts';

/** Sends again or drops the chosen letters, or all that the filter fits. */
export function LetterActions({
  filter,
  chosen,
  matching,
  newest,
  onEnd,
}: {
  readonly filter: Filter;
  readonly chosen: readonly string[];
  readonly matching: number;
  /** When the newest of them was given up. */
  readonly newest: string;
  readonly onEnd: () => void;
}) {
  const [refetch, setRefetch] = useState(false);
  const [force, setForce] = useState(false);
  const [because, setBecause] = useState('');
  const many = chosen.length > 0 ? chosen.length : matching;
  const replay = () => {
    const how = { ...(refetch && { refetch }), ...(force && { force }) };
    const options = { ...optionsOf(filter, chosen), ...how };
    openAction({
      title: strings.replayTitle(many),
      preview: { command: 'dead-letters replay', options },
      line: { command: 'dead-letters replay', options: { ...options, wait: true, yes: true } },
      children: (
        <p>
          They go back to their queues, and the workers try them. What the loyalty service holds
          already is not sent twice.
        </p>
      ),
      onEnd,
    });
  };
  const drop = () => {
    const options = { ...optionsOfDrop(filter, chosen, newest), because: because.trim() };
    openAction({
      title: strings.dropTitle(many),
      preview: { command: 'dead-letters drop', options },
      line: { command: 'dead-letters drop', options: { ...options, yes: true } },
      children: (
        <p>
          What they are about is not sent again until it changes in the store. They are kept in a
          file on the machine that runs this console.
        </p>
      ),
      onEnd,
    });
  };
  return (
    <div class="card letters-actions">
      <p class="buttons">
        <button type="button" onClick={replay}>
          Send {numberText(many)} again…
        </button>
        <Tick
          label="as the store has it now, instead of the stored message"
          isSet={refetch}
          onChange={setRefetch}
        />
        <Tick
          label="even if the loyalty service was sent the same before"
          isSet={force}
          onChange={setForce}
        />
      </p>
      <Form class="buttons" onSubmit={drop}>
        <label>
          Why drop it? This is recorded{' '}
          <input
            type="text"
            required
            maxLength={200}
            value={because}
            onInput={({ currentTarget }) => setBecause(currentTarget.value)}
          />
        </label>
        <button type="submit" class="quiet" disabled={because.trim() === ''}>
          Drop {numberText(many)}…
        </button>
      </Form>
    </div>
  );
}
