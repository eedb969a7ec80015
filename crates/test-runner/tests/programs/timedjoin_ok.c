#define _GNU_SOURCE
#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>
#include <stdlib.h>
#include <errno.h>
#include <unistd.h>
#include <signal.h>
#include <time.h>
void*w(void*a){usleep(5000);return (void*)7;}
int main(){pthread_t t;void*r=0;pthread_create(&t,0,w,0);struct timespec s;clock_gettime(CLOCK_REALTIME,&s);s.tv_nsec+=1000000;if(s.tv_nsec>=1000000000){s.tv_sec++;s.tv_nsec-=1000000000;}int e=pthread_timedjoin_np(t,&r,&s);if(e==ETIMEDOUT){pthread_join(t,&r);}return r!=(void*)7;}
