import type { ChangeEnded } from '../../../../history/audit-records.ts';
import type { InEveryLanguage } from '../../words.ts';

interface Texts {
  readonly none: string;
  readonly begun: string;
  readonly who: string;
  readonly command: string;
  readonly result: string;
  readonly changed: string;
  readonly results: Readonly<Record<ChangeEnded['result'] | 'no-end', string>>;
  readonly noEndMeans: string;
  readonly earlier: string;
  readonly newest: string;
  readonly show: string;
}

export const strings: InEveryLanguage<Texts> = {
  en: {
    none: 'No such change is recorded.',
    begun: 'Begun',
    who: 'Who',
    command: 'Command',
    result: 'Result',
    changed: 'Changed',
    results: {
      finished: 'Finished',
      failed: 'Failed',
      interrupted: 'Stopped',
      'no-end': 'No end recorded',
    },
    noEndMeans: 'It still runs, or its process was ended.',
    earlier: 'Earlier',
    newest: 'Newest',
    show: 'Show',
  },
  'pt-BR': {
    none: 'Nenhuma alteração assim está registrada.',
    begun: 'Início',
    who: 'Quem',
    command: 'Comando',
    result: 'Resultado',
    changed: 'Alterado',
    results: {
      finished: 'Terminado',
      failed: 'Falhou',
      interrupted: 'Interrompido',
      'no-end': 'Fim não registrado',
    },
    noEndMeans: 'Ainda está rodando, ou o processo foi encerrado.',
    earlier: 'Anteriores',
    newest: 'Mais recentes',
    show: 'Mostrar',
  },
  es: {
    none: 'No hay ningún cambio así registrado.',
    begun: 'Inicio',
    who: 'Quién',
    command: 'Comando',
    result: 'Resultado',
    changed: 'Cambiado',
    results: {
      finished: 'Terminado',
      failed: 'Falló',
      interrupted: 'Detenido',
      'no-end': 'Final no registrado',
    },
    noEndMeans: 'Sigue en marcha, o su proceso terminó.',
    earlier: 'Anteriores',
    newest: 'Más recientes',
    show: 'Mostrar',
  },
};
