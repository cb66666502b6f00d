"""moto's server. A request with the header x-test-clock (milliseconds) is answered at that time.

The sequence numbers of messages increase, as AWS documents (API reference, "SendMessage"); moto draws them.
"""

import datetime
import itertools
import sys

import moto.core.utils as clock

real_now = clock.utcnow
told = None
calls = 0


def now():
    global calls
    if told is None:
        return real_now()
    # A clock that stands still would keep a message hidden whose time-out is zero.
    calls += 1
    return told + datetime.timedelta(microseconds=calls)


# Before moto's services import it.
clock.utcnow = now

from moto.moto_server.werkzeug_app import (  # noqa: E402
    DomainDispatcherApplication,
    create_backend_app,
)
from moto.sqs.models import Queue  # noqa: E402
from werkzeug.serving import run_simple  # noqa: E402

add_message = Queue.add_message
numbers = itertools.count(1)


def add_in_order(queue, message):
    if message.sequence_number is not None:
        message.sequence_number = f"{next(numbers):020d}"
    add_message(queue, message)


Queue.add_message = add_in_order

moto = DomainDispatcherApplication(create_backend_app)


def answer(environ, start_response):
    global told
    header = environ.get("HTTP_X_TEST_CLOCK")
    told = clock.utcfromtimestamp(0) + datetime.timedelta(milliseconds=int(header)) if header else None
    return moto(environ, start_response)


run_simple("127.0.0.1", int(sys.argv[1]), answer, threaded=True)
