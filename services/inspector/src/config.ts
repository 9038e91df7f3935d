import { BASE_URLS, DESTINATIONS, type Environment, PROCESS, readSettings, setting } from '@waypost/settings';
import { INSPECTOR } from './settings.ts';

export const SETTINGS = {
  ...PROCESS,
  PORT: setting.port('Internal port of the inspector call, health and metrics.').default(8094),
  ...BASE_URLS,
  OWN_HOSTS: DESTINATIONS.OWN_HOSTS,
  ...INSPECTOR,
};

export const inspectorConfig = (environment: Environment) => readSettings(SETTINGS, environment);
