// SPDX-License-Identifier: MIT

module cogwire-adapter

go 1.19
