// Package variate draws from the exponential, the normal, the log-normal and the Zipf distribution, with the same bits on every
// machine. The usual recipes take logarithms and exponentials of a mathematical library, whose last bit depends on the
// processor; these compare uniform numbers.
//
// They rest on one trick of von Neumann ("Various techniques used in connection with random digits", 1951): draw uniform
// numbers for as long as each is less than the one before, beginning below a. The chance of m or more of them is a^m/m!,
// hence that of an even count 1 - a + a²/2! - a³/3! … = e^-a. From such coins an exponential variate is put together digit by
// digit, and a normal one by the algorithm of Karney ("Sampling exactly from the normal distribution", ACM TOMS 42, 2016).
//
// Every function takes the next numbers of a stream and returns nothing that depends on anything else.
package variate
