# SPDX-License-Identifier: Apache-2.0
# The program and the Python package in an image of Debian 12. Run `make deb`, then in the root of the repository:
#   docker build -f cmake/okksim.dockerfile -t okksim build/dist
FROM debian:12-slim
COPY okksim_*.deb /tmp/
RUN apt-get update -q \
    && DEBIAN_FRONTEND=noninteractive apt-get install -y -q --no-install-recommends /tmp/okksim_*.deb python3 python3-numpy \
    && rm -rf /var/lib/apt/lists/* /tmp/okksim_*.deb
CMD ["okksim"]
