/**
 * Does with the pod of the chart's mode `single` what a node of Kubernetes does, by Docker: `node walk-single.mjs`. The pod
 * comes from `helm template`, so nothing of the chart is repeated here. A field that this file does not know fails, because
 * it would not be walked. Needs DOCKER_HOST and the image waypost/all-in-one:0.1.0.
 */
import { execFileSync, spawnSync } from 'node:child_process';
import fs from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { parseAllDocuments } from 'yaml';
import { helm } from '../../scripts/engines/helm.mjs';

const CHART = fileURLToPath(new URL('../chart', import.meta.url));
const VALUES = 'mode=single,image.registry=waypost,extraEnv[0].name=FEEDS,extraEnv[0].value=none';
const DESTINATION = 'https://www.wikipedia.org/wiki/Pod';
const NAME = 'single';

function must(holds, problem) {
  if (!holds) throw new Error(problem);
}
const docker = (...args) => execFileSync('/usr/bin/docker', args, { encoding: 'utf8', stdio: 'pipe' }).trim();
/** Waits up to `seconds` until `holds` does. */
async function comes(what, seconds, holds) {
  for (const end = Date.now() + seconds * 1_000; Date.now() < end; await sleep(200)) if (holds()) return;
  throw new Error(`${what}: not within ${seconds} s. ${docker('logs', '--tail', '20', NAME)}`);
}

const manifests = parseAllDocuments(
  execFileSync(helm(), ['template', 'waypost', CHART, '--kube-version', '1.33.0', '--set', VALUES], {
    encoding: 'utf8',
  }),
).map((each) => each.toJS());
const { spec } = manifests.find((each) => each?.kind === 'StatefulSet');
const pod = spec.template.spec;
const [container, ...others] = pod.containers;

/** Throws if `object` has a field that is neither here nor in `ignored`, which have no meaning for one container. */
function expectFields(object, what, walked, ignored = []) {
  const unknown = Object.keys(object).filter((name) => ![...walked, ...ignored].includes(name));
  must(unknown.length === 0, `the walk does not know ${unknown} of ${what}`);
}
must(others.length === 0 && pod.initContainers === undefined, 'the pod has more than one container');
expectFields(
  pod,
  'the pod',
  ['containers', 'volumes', 'securityContext', 'terminationGracePeriodSeconds'],
  ['automountServiceAccountToken', 'enableServiceLinks', 'topologySpreadConstraints'],
);
expectFields(
  container,
  'the container',
  ['name', 'image', 'env', 'ports', 'startupProbe', 'livenessProbe', 'readinessProbe', 'lifecycle', 'resources'].concat(
    ['volumeMounts', 'securityContext'],
  ),
  ['imagePullPolicy'],
);
const { runAsUser, runAsGroup, fsGroup, ...podRules } = pod.securityContext;
expectFields(podRules, 'the security of the pod', ['runAsNonRoot'], ['fsGroupChangePolicy', 'seccompProfile']);
const { readOnlyRootFilesystem, allowPrivilegeEscalation, capabilities, ...rules } = container.securityContext;
expectFields(rules, 'the security of the container', []);
must(runAsUser > 0 && podRules.runAsNonRoot, 'it may run as root');

const volumeOf = (name) => `waypost-single-${name}`;
/** A new volume belongs to root, and the node gives it to the group of the pod. */
function newVolume(name) {
  docker('volume', 'create', volumeOf(name));
  const folder = docker('volume', 'inspect', '--format', '{{.Mountpoint}}', volumeOf(name));
  fs.chownSync(folder, 0, fsGroup);
  fs.chmodSync(folder, 0o2775);
}
const claims = spec.volumeClaimTemplates.map(({ metadata }) => metadata.name);
const mounts = container.volumeMounts.flatMap(({ name, mountPath }) => {
  if (claims.includes(name)) return ['--mount', `type=volume,src=${volumeOf(name)},dst=${mountPath},volume-nocopy`];
  const { emptyDir } = pod.volumes.find((volume) => volume.name === name);
  must(emptyDir?.medium === 'Memory', `the walk does not know the volume ${name}`);
  return ['--tmpfs', `${mountPath}:mode=1777,size=${emptyDir.sizeLimit.replace('Mi', 'm')}`];
});
const options = [
  ...['--network', 'none', '--no-healthcheck', '--user', `${runAsUser}:${runAsGroup}`, '--group-add', String(fsGroup)],
  ...(readOnlyRootFilesystem ? ['--read-only'] : []),
  ...(allowPrivilegeEscalation ? [] : ['--security-opt', 'no-new-privileges']),
  ...capabilities.drop.flatMap((each) => ['--cap-drop', each]),
  ...['--memory', container.resources.limits.memory.replace('Gi', 'g')],
  ...container.env.flatMap(({ name, value }) => ['--env', `${name}=${value}`]),
  ...mounts,
];
const waypost = (...args) => docker('exec', NAME, 'waypost', ...args);
/** A probe comes from outside the pod. Only a server on all addresses answers at another address of loopback. */
const status = (port, path) => {
  const number = container.ports.find(({ name }) => name === port).containerPort;
  const get = `fetch('http://127.0.0.2:${number}${path}', { redirect: 'manual' })`;
  const script = `${get}.then(({ status, headers }) => console.log(status, headers.get('location') ?? ''), () => console.log(0))`;
  return spawnSync('/usr/bin/docker', ['exec', NAME, 'node', '-e', script], { encoding: 'utf8' }).stdout.trim();
};
const succeeds = ({ httpGet }) => /^[23]/.test(status(httpGet.port, httpGet.path));

async function start() {
  const began = Date.now();
  docker('run', '--detach', '--name', NAME, ...options, container.image);
  const { startupProbe, livenessProbe, readinessProbe } = container;
  await comes('startup probe', startupProbe.periodSeconds * startupProbe.failureThreshold, () =>
    succeeds(startupProbe),
  );
  await comes('readiness probe', 30, () => succeeds(readinessProbe));
  must(succeeds(livenessProbe), 'the liveness probe fails');
  console.log(`         ready after ${((Date.now() - began) / 1_000).toFixed(1)} s`);
}
function stop() {
  docker('exec', NAME, ...container.lifecycle.preStop.exec.command);
  docker('stop', '--time', String(pod.terminationGracePeriodSeconds), NAME);
  must(docker('inspect', '--format', '{{.State.ExitCode}}', NAME) === '0', 'it did not end with 0');
  docker('rm', NAME);
}
function visit() {
  const answer = status('redirect', '/pod');
  must(answer === `302 ${DESTINATION}`, `a visit was answered ${answer}`);
}

claims.forEach(newVolume);
await start();
waypost('admin', 'create-account', '--email', 'check@example.org');
const { key } = JSON.parse(
  waypost(...'admin create-key --email check@example.org --name check --scopes read,write --json'.split(' ')),
);
const client = (...args) =>
  JSON.parse(docker('exec', '--env', `WAYPOST_API_KEY=${key}`, NAME, 'waypost', ...args, '--json'));
const clicks = () => client('analytics', 'pod').total_clicks;
client('create', DESTINATION, '--slug', 'pod');
visit();
await comes('the click', 15, () => clicks() === 1);
const backups = () => docker('exec', NAME, 'find', '/backups', '-name', 'manifest.json');
await comes('the first backup by schedule', 60, () => backups() !== '');
waypost('admin', 'backup', '/backups/now');
stop();

await start(); // another pod on the same volumes
visit();
await comes('both clicks', 15, () => clicks() === 2);
stop();

docker('volume', 'rm', volumeOf('data')); // the volume is lost, and the one with the backups is not
newVolume('data');
docker('run', '--rm', ...options, container.image, 'waypost', 'admin', 'restore', '/backups/now');
await start();
visit();
await comes('the clicks of the backup', 15, () => clicks() === 2);
stop();
for (const name of claims) docker('volume', 'rm', volumeOf(name));
