// A client of Zinc for browsers, without dependencies: calls services of Majordomo (7/MDP), and follows maps (12/CHP).
// docs/javascript.md describes it.

import {MapCopy} from './map_copy.js';
import {Connection, ZincError, bytes, joined, text} from './zws.js';

export {ZincError, bytes, text};

// Sends a request to a service of the broker at `url`, once. Returns a promise of the parts of its reply. After an
// error the service may or may not have had the request.
export function callService(url, service, parts, {timeout = 30_000, signal, WebSocket} = {}) {
  return new Promise((resolve, reject) => {
    let connection = null;
    let timer = 0;
    const end = (settle) => (value) => {
      clearTimeout(timer);
      signal?.removeEventListener('abort', onAbort);
      connection?.close();
      settle(value);
    };
    const fail = end(reject);
    const onAbort = () => fail(new ZincError('aborted', `the call of ${service} was aborted`));
    if (signal?.aborted) {
      onAbort();
      return;
    }
    connection = new Connection(url, {
      WebSocket,
      onOpen: () => connection.send(['', 'MDPC01', service, ...parts]),
      onMessage: ([delimiter, version, from, ...body]) => {
        if (body.length === 0 || delimiter.length !== 0 || text(version) !== 'MDPC01' || text(from) !== service) {
          throw new ZincError('malformed', 'the broker has sent a malformed reply');
        }
        end(resolve)(body);
      },
      onEnd: fail,
    });
    signal?.addEventListener('abort', onAbort);
    timer = setTimeout(() => fail(new ZincError('timeout', `no reply of ${service} in ${timeout} ms`)), timeout);
  });
}

// The URL of a server's port: snapshots at the first, the publisher at the next.
function portOf(url, further) {
  const at = new URL(url);
  at.port = String(Number(at.port || (at.protocol === 'wss:' ? 443 : 80)) + further);
  return at;
}

// Follows a subtree ('' is the whole map) of one server, or of the servers of a pair: `url` is one URL or an array.
// Calls onChange(key, value) for each change, in order: null is an erased key. Returns {entries, following, close()}.
// Connects again until it is closed. onError gets the reason of each new attempt.
export function followMap(url, subtree, onChange, options = {}) {
  const {silence = 5_000, repeat = 500, pause = 250, longestPause = 10_000, onError = () => {}, WebSocket} = options;
  const servers = [url].flat().map((each) => new URL(each));
  const copy = new MapCopy(subtree);
  let visits = 0;
  let nextPause = pause;
  let closed = false;
  let waiting = 0;
  let leave = () => {};

  function visit() {
    const server = servers[visits++ % servers.length];
    let snapshots = null;
    let heard = false;
    let silent = 0;
    let stalled = 0;
    let repeating = 0;
    const end = (error) => {
      leave();
      waiting = setTimeout(visit, nextPause * (0.5 + Math.random() / 2));
      nextPause = Math.min(2 * nextPause, longestPause);
      onError(error);
    };
    const late = () => end(new ZincError('timeout', `nothing from ${server} in ${silence} ms`));
    const listen = () => {
      clearTimeout(silent);
      silent = setTimeout(late, silence);
    };
    // The publisher may be well while the other connection is lost.
    const expectSnapshot = () => {
      clearTimeout(stalled);
      stalled = setTimeout(late, silence);
    };
    const tell = (changes) => changes.forEach(([key, value]) => closed || onChange(key, value));
    // A passive server of a pair answers nothing, and becomes active only for a request. So requests are repeated.
    const ask = () => {
      clearInterval(repeating);
      snapshots?.close();
      expectSnapshot();
      const request = () => connection.send(['ICANHAZ?', subtree]);
      const connection = snapshots = new Connection(portOf(server, 0), {
        WebSocket,
        onOpen: () => {
          request();
          repeating = setInterval(request, repeat);
        },
        onMessage: (parts) => {
          clearInterval(repeating);
          // An answer to a request before the subscription held may miss an update.
          if (!heard) {
            return;
          }
          listen();
          expectSnapshot();
          const changes = copy.onSnapshot(parts);
          if (!changes) {
            return;
          }
          nextPause = pause;
          clearTimeout(stalled);
          connection.close();
          if (!copy.following) {
            renew();
          }
          tell(changes);  // comes last, because onChange may close the copy
        },
        onEnd: end,
      });
    };
    const renew = () => {
      copy.begin();
      ask();
    };
    const publisher = new Connection(portOf(server, 1), {
      WebSocket,
      onOpen: () => {
        publisher.send([joined([1], bytes(subtree))]);
        publisher.send([joined([1], bytes('HUGZ'))]);
        ask();
      },
      // The first message shows that the subscriptions hold, because the one to HUGZ is the last.
      onMessage: (parts) => {
        listen();
        if (!heard) {
          heard = true;
          renew();
        }
        const changes = copy.onUpdate(parts);
        if (changes) {
          tell(changes);
        } else {
          renew();
        }
      },
      onEnd: end,
    });
    leave = () => {
      clearTimeout(silent);
      clearTimeout(stalled);
      clearInterval(repeating);
      snapshots?.close();
      publisher.close();
      copy.begin();
    };
    listen();
  }

  visit();
  return {
    get entries() { return copy.entries; },
    get following() { return copy.following; },
    close() {
      closed = true;
      clearTimeout(waiting);
      leave();
    },
  };
}
